/* A hash table behind a rwlock: nine look-ups to one change. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define SLOTS   4096

struct entry {
    struct entry *next;
    unsigned key, hits;
};
static struct entry *table[SLOTS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned found[THREADS];
static int rounds;

static unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x45d9f3bu;
    return x ^ x >> 16;
}

static void *work(void *arg)
{
    unsigned *count = arg, seed = (unsigned)(count - found) + 1;
    for (int r = 0; r < rounds; r++) {
        seed = seed * 1103515245u + 12345u;
        unsigned key = seed >> 18, h = mix(key) % SLOTS;
        if (r % 10) {
            pthread_rwlock_rdlock(&lock);
            for (struct entry *e = table[h]; e; e = e->next)
                if (e->key == key) {
                    ++*count;
                    break;
                }
        } else {
            pthread_rwlock_wrlock(&lock);
            struct entry *e = table[h];
            while (e && e->key != key)
                e = e->next;
            if (!e) {
                e = malloc(sizeof *e);
                *e = (struct entry){table[h], key, 0};
                table[h] = e;
            }
            e->hits++;
        }
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    unsigned sum = 0;
    rounds = 100000 * (argc > 1 ? atoi(argv[1]) : 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &found[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += found[i];
    }
    printf("%d\n", sum > 0);
    return 0;
}
