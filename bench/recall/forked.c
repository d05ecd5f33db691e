/* Two forked children with two threads each that count. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
#ifdef GOOD
    pthread_mutex_lock(&lock);
#endif
    count++;
#ifdef GOOD
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void child(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    _exit(pthread_mutex_lock(&lock));
}

int main(void)
{
    int status = 0;
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            child();
    for (int i = 0; i < 2; i++)
        wait(&status);
    return 0;
}
