/* A spin lock by exchange. TAKE and GIVE are memory orders. */
#include "order.h"
static int data;
static atomic_int lock;
static void *worker(void *arg)
{
    while (atomic_exchange_explicit(&lock, 1, TAKE)) {
    }
    data++;
    atomic_store_explicit(&lock, 0, GIVE);
    return arg;
}
RUN(worker, worker)
