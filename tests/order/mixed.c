/* Message passing by a flag of 8 bytes of which one half is read alone, too. PUT, GET: how it is
 * set and read; MID: an update by a third thread in between. */
#include "order.h"

static union {
    _Atomic unsigned long whole;
    _Atomic unsigned half[2];
} flag;
static int data;

#define ONE        (1ul << 32 | 1)
#define store(o)   atomic_store_explicit(&flag.whole, ONE, o)
#define load(o)    (atomic_load_explicit(&flag.whole, o) >> 32)
#define low(o)     atomic_load_explicit(&flag.half[0], o)
#define add(o)     atomic_fetch_add_explicit(&flag.whole, ONE, o)
#define add_low(o) atomic_fetch_add_explicit(&flag.half[0], 1, o)

static void *put(void *arg)
{
    data = 1;
    (void)(PUT);
    return arg;
}

static void *middle(void *arg)
{
    (void)(MID);
    return arg;
}

static void *get(void *arg)
{
    if (GET)
        data++;
    return arg;
}

RUN(put, middle, get)
