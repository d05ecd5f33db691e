/* Every way to get memory and give it back; realloc that grows, shrinks and frees. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *shared;

static void *work(void *arg)
{
    shared[0] = 5;
    free(shared);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *p = NULL;
    printf("bad %d\n", posix_memalign(&p, 3, 8) == EINVAL);
    printf("aligned %d %d\n", posix_memalign(&p, 64, 100), (int)((uintptr_t)p % 64));
    free(p);
    p = aligned_alloc(32, 64);
    printf("aligned_alloc %d\n", (int)((uintptr_t)p % 32));
    free(p);
    free(memalign(128, 10));
    int *a = calloc(4, sizeof *a);
    a[3] = 9;
    a = realloc(a, 4000 * sizeof *a);
    memset(a + 4, 1, 4 * sizeof *a); /* what was there before would be in the trace */
    printf("grown %d %d\n", a[0], a[3]);
    a = realloc(a, 8 * sizeof *a);
    printf("shrunk %d\n", a[3]);
    a = reallocarray(a, 16, sizeof *a);
    volatile size_t many = SIZE_MAX;
    printf("array %d too big %d\n", a[3], reallocarray(a, many, 16) == NULL);
    free(a);
    free(malloc(20));
    shared = calloc(1, sizeof *shared);
    *shared = 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
