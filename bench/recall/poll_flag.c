/* Main polls a flag and then reads what the worker left. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sched.h>

#ifdef GOOD
static atomic_int ready;
#else
static volatile int ready;
#endif
static int result;

static void *work(void *arg)
{
    result = 42;
    ready = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!ready)
        sched_yield();
    printf("%d\n", result);
    pthread_join(t, NULL);
    return 0;
}
