/* Cancellation: disabled, deferred at a test, asynchronous (taken as deferred), of a blocked join.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready, asked;
static int cleaned;

static void clean(void *arg)
{
    cleaned += *(int *)arg;
}

static void *tests(void *arg)
{
    int old;
    pthread_cleanup_push(clean, arg);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&ready);
    sem_wait(&asked);
    pthread_testcancel();
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    cleaned = 100;
    pthread_cleanup_pop(0);
    return NULL;
}

static void *async(void *arg)
{
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    pthread_cleanup_push(clean, arg);
    sem_post(&ready);
    for (;;)
        usleep(1000);
    pthread_cleanup_pop(0);
    return old ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    void *r;
    int one = 1, two = 2;
    sem_init(&ready, 0, 0);
    sem_init(&asked, 0, 0);
    pthread_create(&t, NULL, tests, &one);
    sem_wait(&ready);
    pthread_cancel(t);
    sem_post(&asked);
    pthread_join(t, &r);
    printf("cancelled %d cleaned %d\n", r == PTHREAD_CANCELED, cleaned);
    pthread_create(&t, NULL, async, &two);
    sem_wait(&ready);
    pthread_cancel(t);
    pthread_join(t, &r);
    printf("cancelled %d cleaned %d\n", r == PTHREAD_CANCELED, cleaned);
    return 0;
}
