/* The lock of a stream: flockfile around several calls, a try that fails, recursion. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t locked, tried;
static int order;

static void *work(void *arg)
{
    sem_wait(&locked);
    printf("try %d\n", ftrylockfile(stderr) != 0);
    sem_post(&tried);
    flockfile(stderr);
    order = order * 10 + 2;
    funlockfile(stderr);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&locked, 0, 0);
    sem_init(&tried, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    flockfile(stderr);
    flockfile(stderr);
    sem_post(&locked);
    sem_wait(&tried);
    order = 1;
    funlockfile(stderr);
    funlockfile(stderr);
    pthread_join(t, NULL);
    printf("order %d\n", order);
    return 0;
}
