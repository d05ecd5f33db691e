/* Timed locks on both clocks, with bad times; time-outs are failed tries. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tries;

static void *work(void *arg)
{
    struct timespec ts, bad = {0, 2000000000};
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_sec += 2;
    int r = pthread_mutex_timedlock(&lock, &ts);
    tries += r == ETIMEDOUT;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    ts.tv_nsec = 0;
    r = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &ts);
    tries += r == ETIMEDOUT;
    r = pthread_mutex_timedlock(&lock, &bad);
    tries += r == EINVAL;
    r = pthread_mutex_trylock(&lock);
    tries += r == EBUSY;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("tries %d\n", tries);
    pthread_mutex_unlock(&lock);
    printf("destroy %d\n", pthread_mutex_destroy(&lock));
    return 0;
}
