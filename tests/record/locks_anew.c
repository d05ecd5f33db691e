/* Locks that are made anew where old ones were held, or were lost with their owner. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, dead;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;
static void prepare(void)
{
    pthread_mutex_lock(&m);
}
static void parent(void)
{
    pthread_mutex_unlock(&m);
}
static void child(void)
{
    pthread_mutex_init(&m, NULL);
}
static void *adds(void *p)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    pthread_rwlock_wrlock(&rw);
    y++;
    pthread_rwlock_unlock(&rw);
    return p;
}
static void *dies(void *p)
{
    pthread_mutex_lock(&dead);
    return p;
}
static void run(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    pthread_join(t, NULL);
}
static void two(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    pthread_atfork(prepare, parent, child);
    pthread_rwlock_rdlock(&rw);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_rwlock_init(&rw, NULL);
        two();
        printf("child %d %d\n", x, y);
        return 0;
    }
    waitpid(pid, NULL, 0);
    pthread_rwlock_unlock(&rw);
    two();
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&dead, &a);
        run(dies);
        printf("%d ", pthread_mutex_lock(&dead) == EOWNERDEAD);
        pthread_mutex_unlock(&dead);
        printf("%d ", pthread_mutex_lock(&dead) == ENOTRECOVERABLE);
        printf("%d\n", pthread_mutex_destroy(&dead));
    }
    pthread_mutex_init(&dead, NULL);
    run(dies);
    pthread_mutex_init(&dead, NULL);
    printf("%d %d %d\n", pthread_mutex_trylock(&dead), x, y);
    return 0;
}
