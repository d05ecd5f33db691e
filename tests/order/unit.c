/* A semaphore of one unit, as C++20's is made: who gives the unit back looks at what was there.
 * TAKE and GIVE are memory orders. */
#include "order.h"
static int data;
static atomic_int unit = 1;
static void *worker(void *arg)
{
    int one = 1;
    while (!atomic_compare_exchange_weak_explicit(&unit, &one, 0, TAKE, relaxed))
        one = 1;
    data++;
    return atomic_fetch_add_explicit(&unit, 1, GIVE) > 0 ? NULL : arg;
}
RUN(worker, worker)
