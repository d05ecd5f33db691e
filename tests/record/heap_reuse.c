/* A block that is freed and allocated again by another thread is another location. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *maker(void *arg)
{
    (void)arg;
    int *p = malloc(64);
    p[0] = 1;
    p[1] = 2;
    pthread_mutex_lock(&lock);
    shared = p;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *taker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    int *p = shared;
    pthread_mutex_unlock(&lock);
    int v = p[0];
    free(p);
    int *q = malloc(64);
    q[0] = v + 10;
    q = realloc(q, 128);
    printf("q %d\n", q[0]);
    free(q);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, maker, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, taker, NULL);
    pthread_join(t, NULL);
    int *z = calloc(4, 4);
    void *a = aligned_alloc(64, 64);
    printf("zero %d aligned %d\n", z[3], (int)((size_t)a % 64));
    free(z);
    free(a);
    return 0;
}
