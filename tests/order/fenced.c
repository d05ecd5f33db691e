/* Message passing with fences. FIRST and SECOND are memory orders of the fences. */
#include "order.h"
static int data;
static atomic_int flag;
static void *producer(void *arg)
{
    data = 42;
    atomic_thread_fence(FIRST);
    atomic_store_explicit(&flag, 1, relaxed);
    return arg;
}
static void *consumer(void *arg)
{
    if (atomic_load_explicit(&flag, relaxed)) {
        atomic_thread_fence(SECOND);
        printf("%d\n", data);
    }
    return arg;
}
RUN(producer, consumer)
