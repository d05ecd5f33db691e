/* Timed waits on both clocks: a signal in time, and one that never comes. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static int ready;

static void *work(void *arg)
{
    usleep(1000);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_condattr_t attr;
    struct timespec ts;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&cond, &attr);
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    ts.tv_sec += 100;
    pthread_mutex_lock(&lock);
    int r = 0;
    while (!ready && r == 0)
        r = pthread_cond_timedwait(&cond, &lock, &ts);
    printf("in time %d\n", r);
    clock_gettime(CLOCK_REALTIME, &ts);
    r = pthread_cond_clockwait(&cond, &lock, CLOCK_REALTIME, &ts);
    printf("late %d\n", r == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
