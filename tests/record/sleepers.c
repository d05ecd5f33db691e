/* Sleeping is virtual: hours pass at once, in the right order. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void note(int n)
{
    pthread_mutex_lock(&lock);
    order = order * 10 + n;
    pthread_mutex_unlock(&lock);
}

static void *slow(void *arg)
{
    struct timespec ts = {0, 30000000};
    nanosleep(&ts, NULL);
    note(3);
    return arg;
}

static void *quick(void *arg)
{
    usleep(10000);
    note(1);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    struct timespec ts, bad = {0, -1};
    pthread_create(&t[0], NULL, slow, NULL);
    pthread_create(&t[1], NULL, quick, NULL);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    ts.tv_nsec += 20000000;
    ts.tv_sec += ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
    note(2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("order %d sleep %u yield %d\n", order, sleep(0), sched_yield());
    int r = nanosleep(&bad, NULL);
    printf("bad %d\n", r == -1 && errno == EINVAL);
    return 0;
}
