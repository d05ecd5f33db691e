/* Asking for the time: clocks never go back, and a loop that waits for one gets there. */
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;

static void *work(void *arg)
{
    usleep(2000);
    stop = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec a, b;
    struct timeval tv;
    time_t now;
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_MONOTONIC, &a);
    do
        clock_gettime(CLOCK_MONOTONIC, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < 200000);
    gettimeofday(&tv, NULL);
    printf("later %d same %d\n", b.tv_nsec != a.tv_nsec || b.tv_sec != a.tv_sec,
           time(&now) - tv.tv_sec <= 1 && now > 1000000);
    pthread_join(t, NULL);
    printf("stop %d\n", stop);
    return 0;
}
