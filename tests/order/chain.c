/* A release sequence through a third thread. STORE, MIDDLE (a statement) and LOAD as they say. */
#include "order.h"
static int data;
static atomic_int flag;
static void *producer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, STORE);
    return arg;
}
static void *between(void *arg)
{
    MIDDLE;
    return arg;
}
static void *consumer(void *arg)
{
    if (atomic_load_explicit(&flag, LOAD) == 2)
        printf("%d\n", data);
    return arg;
}
RUN(producer, between, consumer)
