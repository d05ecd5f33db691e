/* Message passing by a flag of 16 bytes, whose halves change together. PUT, GET: how it is set and
 * read; MID: what a third thread does with it in between. cas finds what it expects; miss does not,
 * and is a load with its second order. */
#include "order.h"

typedef unsigned __int128 wide;
#define ONE ((wide)1 << 64 | 1)
static wide flag;
static int data;

#define store(order) __atomic_store_n(&flag, ONE, order)
#define load(order)  (__atomic_load_n(&flag, order) != 0)
#define swap(order)  (__atomic_exchange_n(&flag, ONE, order) != 0)
#define add(order)   (__atomic_fetch_add(&flag, ONE, order) != 0)
#define cas(from, yes, no)                                                                         \
    (seen = from, __atomic_compare_exchange_n(&flag, &seen, from + ONE, 0, yes, no))
#define miss(yes, no) (seen = 0, !__atomic_compare_exchange_n(&flag, &seen, 5, 0, yes, no))

static void *put(void *arg)
{
    wide seen = 0;
    data = 1;
    (void)(PUT);
    return seen ? arg : NULL;
}

#ifdef MID
static void *middle(void *arg)
{
    wide seen = 0;
    (void)(MID);
    return seen ? arg : NULL;
}
#endif

static void *get(void *arg)
{
    wide seen = 0;
    if (GET)
        data++;
    return seen ? arg : NULL;
}

#ifdef MID
RUN(put, middle, get)
#else
RUN(put, get)
#endif
