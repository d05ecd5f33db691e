/* A linked list for each thread, walked many times; a lock now and then. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define NODES   1000

struct node {
    struct node *next;
    long v;
};
static struct node *heads[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int rounds;

static void *walk(void *arg)
{
    for (int r = 0; r < rounds; r++) {
        long sum = 0;
        for (struct node *n = *(struct node **)arg; n; n = n->next) {
            n->v = n->v * 3 + r;
            if (n->v & 1)
                sum += n->v;
        }
        pthread_mutex_lock(&lock);
        total += sum;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = 600 * (argc > 1 ? atoi(argv[1]) : 1);
    for (int k = 0; k < THREADS; k++)
        for (int i = 0; i < NODES; i++) {
            struct node *n = malloc(sizeof *n);
            *n = (struct node){heads[k], i};
            heads[k] = n;
        }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, walk, &heads[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", total);
    return 0;
}
