/* A consumer that looks by a compare-exchange that fails. FAIL is its memory order for failure. */
#include "order.h"
static int data;
static atomic_int flag;
static void *producer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, release);
    return arg;
}
static void *consumer(void *arg)
{
    int expected = 7;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 8, SUCCESS, FAIL);
    if (expected == 1)
        printf("%d\n", data);
    return arg;
}
RUN(producer, consumer)
