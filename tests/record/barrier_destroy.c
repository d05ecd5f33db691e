/* Whoever is told that it is the last one may destroy the barrier while others are still on their
 * way out. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_barrier_t barrier;
static int sum[4];

static void *work(void *arg)
{
    int *mine = arg;
    *mine = 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(&barrier);
        memset(&barrier, 0x5a, sizeof barrier);
    }
    *mine += 1;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &sum[i]);
    work(&sum[3]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum[0] + sum[1] + sum[2] + sum[3]);
    return 0;
}
