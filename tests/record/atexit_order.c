/* exit from a thread: handlers of atexit see what it wrote. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int value;

static void last(void)
{
    printf("last %d\n", value);
}

static void *work(void *arg)
{
    value = 4;
    exit(value + 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    atexit(last);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
