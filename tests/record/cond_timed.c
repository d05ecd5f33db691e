/* Timed waits: one times out, one is woken in time; broadcast wakes all. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int go, woken;

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    ts.tv_sec += ms / 1000;
    ts.tv_nsec += ms % 1000 * 1000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_sec++;
        ts.tv_nsec -= 1000000000;
    }
    return ts;
}

static void *waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&cond, &lock);
    woken++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_mutex_lock(&lock);
    struct timespec ts = in_ms(CLOCK_REALTIME, 50);
    printf("timed %d\n", pthread_cond_timedwait(&cond, &lock, &ts) == ETIMEDOUT);
    ts = in_ms(CLOCK_MONOTONIC, 50);
    printf("clock %d\n", pthread_cond_clockwait(&cond, &lock, CLOCK_MONOTONIC, &ts) == ETIMEDOUT);
    ts.tv_nsec = 1000000000;
    printf("invalid %d\n", pthread_cond_timedwait(&cond, &lock, &ts) == EINVAL);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    struct timespec pause = {0, 30000000};
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("woken %d\n", woken);
    printf("destroy %d\n", pthread_cond_destroy(&cond));
    return 0;
}
