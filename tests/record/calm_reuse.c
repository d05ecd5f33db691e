/* A thread uses memory of its own over and over; then another block has these addresses, and others
 * use it in the same way. What a walk over the log knows of the addresses ends with the block. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *block;

/* The last of the accesses is to p[8]. */
static __attribute__((noinline)) void work(int *p, int from, int n)
{
    for (int i = 0; i < n; i++)
        p[i == n - 1 ? 8 : i % 2 + from] = i; /* RACE given */
}

static void *other(void *arg)
{
    (void)arg;
    work(block, 10, 8);
    return NULL;
}

static void *nothing(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 4; i++) {
        int *p = malloc(64);
        work(p, 3, 40);
        free(p);
    }
    block = malloc(64);
    pthread_create(&t, NULL, other, NULL);
    work(block, 3, 8);
    pthread_join(t, NULL);
    printf("last %d\n", block[4]);
    free(block);
    return 0;
}
