/* The thread that comes second finds the flag set, and goes another way. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken, extra;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    int late = taken;
    taken = 1;
#ifdef GOOD
    if (late)
        extra++;
#endif
    pthread_mutex_unlock(&lock);
#ifndef GOOD
    if (late)
        extra++;
#endif
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", extra);
    return 0;
}
