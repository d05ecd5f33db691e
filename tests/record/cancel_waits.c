/* Cancellation in waits; the mutex of a condition is held again when cleanup handlers run. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static void cleanup(void *arg)
{
    printf("cleanup\n");
    pthread_mutex_unlock(arg);
}

static void *in_cond(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(cleanup, &lock);
    for (;;)
        pthread_cond_wait(&cond, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

static void *in_sem(void *arg)
{
    sem_wait(&sem);
    return arg;
}

static void *in_sleep(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    usleep(1000);
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    sleep(1000);
    return arg;
}

static void end(void *(*f)(void *))
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, f, NULL);
    usleep(20000);
    int status = pthread_cancel(t);
    pthread_join(t, &result); /* only then print: the thread prints too */
    printf("cancel %d, cancelled %d\n", status, result == PTHREAD_CANCELED);
}

int main(void)
{
    sem_init(&sem, 0, 0);
    end(in_cond);
    end(in_sem);
    end(in_sleep);
    return 0;
}
