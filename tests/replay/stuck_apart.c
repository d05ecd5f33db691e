/* A cycle of two locks, and a thread that keeps one of them for another reason: that is no part of
 * the cycle, though the same two waits are in both. */
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       r = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int ready;
static void take_b(void)
{
    pthread_mutex_lock(&b);
}
static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    take_b();
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&r);
    ready = 1;
    pthread_mutex_unlock(&r);
    return arg;
}
static void *two(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
static void *other(void *arg)
{
    take_b();
    pthread_mutex_unlock(&b);
    return arg;
}
static void *stays(void *arg)
{
    pthread_mutex_lock(&r);
    int go = ready;
    pthread_mutex_unlock(&r);
    pthread_mutex_lock(&b);
    if (!go)
        sem_wait(&never);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    void *(*const all[])(void *) = {one, two, stays, other, other};
    pthread_t t[5];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, all[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    return 0;
}
