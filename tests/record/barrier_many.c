/* A barrier used again and again, by more rounds than threads. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 3 };
static pthread_barrier_t barrier;
static int cell[THREADS], sum[THREADS];

static void *work(void *arg)
{
    int me = *(int *)arg;
    for (int r = 0; r < ROUNDS; r++) {
        cell[me] = r + me;
        pthread_barrier_wait(&barrier);
        sum[me] += cell[1 - me];
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int id[THREADS] = {0, 1};
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", sum[0], sum[1]);
    return pthread_barrier_destroy(&barrier);
}
