/* Two threads, a lock, and 50 ms of work. */
#include <pthread.h>
#include <time.h>
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}
static long spin(double until)
{
    long turns = 0;
    while (now() < until)
        for (volatile int i = 0; i < 100000; i++)
            turns++;
    return turns;
}
int main(void)
{
    double begin = now();
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return spin(begin + 0.05) < 0;
}
