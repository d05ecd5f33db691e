/* Two workers poll for the start in sleeps, then both count. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int start;
#ifdef GOOD
static atomic_int count;
#else
static int count;
#endif

static void *work(void *arg)
{
    while (!atomic_load(&start))
        usleep(1000);
    count++;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    usleep(3000);
    atomic_store(&start, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", count);
    return 0;
}
