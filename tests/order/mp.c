/* Message passing. STORE and LOAD are memory orders, FLAG the type of the flag. */
#include "order.h"
#ifndef FLAG
#define FLAG int
#endif
static int data;
static _Atomic(FLAG) flag;
static void *producer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, STORE);
    return arg;
}
static void *consumer(void *arg)
{
    if (atomic_load_explicit(&flag, LOAD))
        printf("%d\n", data);
    return arg;
}
RUN(producer, consumer)
