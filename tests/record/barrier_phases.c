/* Three threads in two phases; exactly one is told that it was last in each. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int cell[3], seen[3], serial[2];

static void *phase(void *arg)
{
    int me = *(int *)arg;
    for (int p = 0; p < 2; p++) {
        cell[me] = p + 1;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[p]++;
        seen[me] += cell[(me + 1) % 3];
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    static int id[3] = {0, 1, 2};
    printf("zero %d\n", pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, phase, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("serial %d %d sum %d\n", serial[0], serial[1], seen[0] + seen[1] + seen[2]);
    printf("destroy %d\n", pthread_barrier_destroy(&barrier));
    return 0;
}
