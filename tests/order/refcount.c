/* A reference count of two owners, one of which takes it once more. DEC is the memory order of the
 * decrement, FENCE (a statement) stands before the last owner's access. */
#include "order.h"
static struct shared {
    atomic_int count;
    int data;
} * shared;
static void drop(void)
{
    if (atomic_fetch_sub_explicit(&shared->count, 1, DEC) == 1) {
        FENCE;
        shared->data = -1;
    }
}
static void *owner(void *arg)
{
    atomic_fetch_add_explicit(&shared->count, 1, relaxed);
    shared->data += arg == NULL;
    drop();
    drop();
    return arg;
}
static void *last(void *arg)
{
    drop();
    return arg;
}
int main(void)
{
    void *(*const start[])(void *) = {owner, last};
    shared = calloc(1, sizeof *shared);
    atomic_init(&shared->count, 2);
    run(2, start);
    free(shared);
    return 0;
}
