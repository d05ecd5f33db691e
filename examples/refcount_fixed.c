/* refcount.c, corrected: the borrower has a reference of its own, taken before it starts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
    int value;
    atomic_int count;
};

static void release(struct object *o)
{
    if (atomic_fetch_sub(&o->count, 1) == 1)
        free(o);
}

static void *borrower(void *arg)
{
    struct object *o = arg;
    printf("value %d\n", o->value);
    release(o);
    return NULL;
}

static void *owner(void *arg)
{
    release(arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct object *o = malloc(sizeof *o);
    o->value = 42;
    atomic_init(&o->count, 2);
    pthread_create(&a, NULL, borrower, o);
    pthread_create(&b, NULL, owner, o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
