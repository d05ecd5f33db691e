/* A sequence lock. DATA is the type of the data, GET and PUT how it is accessed. */
#include "order.h"
static atomic_uint seq;
static DATA data;
static void *writer(void *arg)
{
    unsigned s = atomic_load_explicit(&seq, relaxed);
    atomic_store_explicit(&seq, s + 1, relaxed);
    atomic_thread_fence(release);
    PUT;
    atomic_store_explicit(&seq, s + 2, release);
    return arg;
}
static void *reader(void *arg)
{
    unsigned s = atomic_load_explicit(&seq, acquire);
    int v = GET;
    atomic_thread_fence(acquire);
    if (atomic_load_explicit(&seq, relaxed) == s)
        printf("%d\n", v);
    return arg;
}
RUN(writer, reader)
