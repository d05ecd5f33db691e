/* quick_exit runs its own handlers, from a thread, while others wait. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int value;

static void last(void)
{
    printf("last %d\n", value);
    fflush(stdout);
}

static void *work(void *arg)
{
    value = 4;
    quick_exit(value + 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    at_quick_exit(last);
    pthread_create(&t, NULL, work, NULL);
    pause();
    return 0;
}
