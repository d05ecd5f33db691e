/* Double-checked initialisation with a plain pointer.
 *
 * The first look at `config` is taken without the lock, while another thread may be storing it. A
 * compiler or processor may let the reader see the pointer before the fields it points to. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int size, depth;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *config;

static struct config *get_config(void)
{
    if (!config) { /* races with the store below */
        pthread_mutex_lock(&lock);
        if (!config) {
            struct config *c = malloc(sizeof *c);
            c->size = 64;
            c->depth = 3;
            config = c;
        }
        pthread_mutex_unlock(&lock);
    }
    return config;
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
    free(config);
    return 0;
}
