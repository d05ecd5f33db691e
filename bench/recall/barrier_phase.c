/* Two phases: each thread writes its cell, then reads its neighbour's. */
#include <pthread.h>
#include <stdio.h>

#define N 3
static pthread_barrier_t barrier;
static int cell[N], seen[N];

static void *work(void *arg)
{
    int me = (int)(long)arg;
    cell[me] = me + 1;
#ifdef GOOD
    pthread_barrier_wait(&barrier);
#endif
    seen[me] = cell[(me + 1) % N];
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", seen[0]);
    return 0;
}
