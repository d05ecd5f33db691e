/* Binary trees made and freed again: mostly malloc, free and pointers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define DEPTH   10

struct tree {
    struct tree *left, *right;
    int size;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int rounds;

static struct tree *grow(int depth)
{
    struct tree *t = malloc(sizeof *t);
    t->left = depth ? grow(depth - 1) : NULL;
    t->right = depth ? grow(depth - 1) : NULL;
    t->size = 1 + (t->left ? t->left->size : 0) + (t->right ? t->right->size : 0);
    return t;
}

static long fell(struct tree *t)
{
    long n = 1;
    if (t->left)
        n += fell(t->left);
    if (t->right)
        n += fell(t->right);
    free(t);
    return n;
}

static void *work(void *arg)
{
    for (int r = 0; r < rounds; r++) {
        struct tree *t = grow(DEPTH);
        long n = fell(t);
        pthread_mutex_lock(&lock);
        total += n;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = 30 * (argc > 1 ? atoi(argv[1]) : 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", total);
    return 0;
}
