/* Races, a deadlock and a lock on the heap, each some calls deep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct box {
    pthread_mutex_t lock;
    int count;
    char text[32];
};
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b); /* line 15 */
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

static __attribute__((noinline)) void add(struct box *b)
{
    b->count++; /* line 22 */
}

static __attribute__((noinline)) void put(struct box *b, const char *text)
{
    memcpy(b->text, text, 8); /* line 27 */
}

static __attribute__((noinline)) void forth(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    pthread_mutex_lock(&other); /* line 33 */
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&b->lock);
}

static __attribute__((noinline)) void back(struct box *b)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&b->lock); /* line 41 */
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&other);
}

static void *first(void *arg)
{
    add(arg); /* line 48 */
    put(arg, "first..");
    forth(arg); /* line 50 */
    return NULL;
}

static void *second(void *arg)
{
    back(arg); /* line 56 */
    add(arg);
    put(arg, "second."); /* line 58 */
    return NULL;
}

static __attribute__((noinline)) pthread_t start(void *(*run)(void *), struct box *b)
{
    pthread_t t;
    free(malloc(100));                /* not the block of the finding */
    pthread_create(&t, NULL, run, b); /* line 66 */
    return t;
}

int main(int argc, char **argv)
{
    (void)argv;
    struct box *b = box_new();            /* line 73 */
    pthread_t one = start(first, b), two; /* line 74 */
    if (argc > 1)
        pthread_join(one, NULL);
    two = start(second, b); /* line 77 */
    if (argc == 1)
        pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
