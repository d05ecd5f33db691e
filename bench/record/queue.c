/* Two producers and two consumers with a bounded buffer, a mutex and two conditions; each item is a
 * block of numbers to work on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM  16
#define BLOCK 64

struct item {
    unsigned data[BLOCK];
};
static struct item *ring[ROOM];
static unsigned head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t space = PTHREAD_COND_INITIALIZER, more = PTHREAD_COND_INITIALIZER;
static unsigned long sums[2];
static int rounds;

static void *produce(void *arg)
{
    unsigned seed = (unsigned)(long)arg;
    for (int r = 0; r < rounds; r++) {
        struct item *it = malloc(sizeof *it);
        for (int i = 0; i < BLOCK; i++)
            it->data[i] = seed = seed * 1664525u + 1013904223u;
        pthread_mutex_lock(&lock);
        while (head - tail == ROOM)
            pthread_cond_wait(&space, &lock);
        ring[head++ % ROOM] = it;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consume(void *arg)
{
    unsigned long *sum = arg;
    for (int r = 0; r < rounds; r++) {
        pthread_mutex_lock(&lock);
        while (head == tail)
            pthread_cond_wait(&more, &lock);
        struct item *it = ring[tail++ % ROOM];
        pthread_cond_signal(&space);
        pthread_mutex_unlock(&lock);
        for (int pass = 0; pass < 4; pass++)
            for (int i = 0; i < BLOCK; i++)
                *sum += it->data[i] >> pass;
        free(it);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[4];
    rounds = 10000 * (argc > 1 ? atoi(argv[1]) : 1);
    for (long i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, produce, (void *)(i + 1));
        pthread_create(&t[2 + i], NULL, consume, &sums[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%lu\n", sums[0] + sums[1]);
    return 0;
}
