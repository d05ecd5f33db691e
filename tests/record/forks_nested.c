/* A child that forks again and one that starts a program; each has a trace of its own. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int count(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return count() + 10;
    pthread_mutex_lock(&lock);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_mutex_unlock(&lock); /* held across the fork */
        pid_t inner = fork();
        if (inner == 0)
            _exit(count() + 1);
        _exit(wait_for(inner) + count());
    }
    pthread_mutex_unlock(&lock);
    printf("child %d\n", wait_for(pid));
    pid = fork();
    if (pid == 0)
        execl("/proc/self/exe", argv[0], "again", NULL);
    printf("again %d mine %d\n", wait_for(pid), count());
    return 0;
}
