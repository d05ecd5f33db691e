/* double_checked.c, corrected: the pointer is atomic, so the first look is an acquire and the store
 * a release. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int size, depth;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) config;

static struct config *get_config(void)
{
    struct config *c = atomic_load(&config);
    if (!c) {
        pthread_mutex_lock(&lock);
        c = atomic_load(&config);
        if (!c) {
            c = malloc(sizeof *c);
            c->size = 64;
            c->depth = 3;
            atomic_store(&config, c);
        }
        pthread_mutex_unlock(&lock);
    }
    return c;
}

static void *user(void *arg)
{
    struct config *c = get_config();
    *(int *)arg = c->size * c->depth;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 0, y = 0;
    pthread_create(&a, NULL, user, &x);
    pthread_create(&b, NULL, user, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    free(atomic_load(&config));
    return 0;
}
