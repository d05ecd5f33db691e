/* Queues of slots, each an atomic pointer, on the stack of main: a consumer takes what is in a slot
 * by an exchange. TAKE: its memory order; with release alone the consumer does not acquire what the
 * producer wrote. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef TAKE
#define TAKE memory_order_acq_rel
#endif

enum { SLOTS = 4, ITEMS = 8 };
typedef _Atomic(int *) slot;

static void *produce(void *arg)
{
    slot *slots = arg;
    for (int i = 0; i < ITEMS; i++) {
        int *item = malloc(sizeof *item), *none = NULL;
        *item = i;
        while (!atomic_compare_exchange_strong_explicit(&slots[i % SLOTS], &none, item,
                                                        memory_order_acq_rel, memory_order_relaxed))
            none = NULL;
    }
    return NULL;
}

int main(void)
{
    slot slots[SLOTS] = {NULL};
    int sum = 0;
    pthread_t producer;
    pthread_create(&producer, NULL, produce, slots);
    for (int i = 0; i < ITEMS; i++) {
        int *item = NULL;
        while (!(item = atomic_exchange_explicit(&slots[i % SLOTS], NULL, TAKE)))
            ;
        sum += *item;
        free(item);
    }
    pthread_join(producer, NULL);
    return sum != ITEMS * (ITEMS - 1) / 2;
}
