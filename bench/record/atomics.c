/* Mostly atomics: counters, a ticket lock, and a stack of free cells by compare-and-swap. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define CELLS   64

static atomic_uint counters[16], ticket, serving;
static _Atomic unsigned long top; /* low half: cell + 1; high half: changes */
static atomic_uint next_of[CELLS];
static unsigned owned[CELLS];
static unsigned long guarded;
static int rounds;

static unsigned pop(void)
{
    unsigned long old = atomic_load(&top), to;
    do {
        if (!(unsigned)old)
            return CELLS;
        to = ((old >> 32) + 1) << 32 | next_of[(unsigned)old - 1];
    } while (!atomic_compare_exchange_weak(&top, &old, to));
    return (unsigned)old - 1;
}

static void push(unsigned cell)
{
    unsigned long old = atomic_load(&top), to;
    do {
        next_of[cell] = (unsigned)old;
        to = ((old >> 32) + 1) << 32 | (cell + 1);
    } while (!atomic_compare_exchange_weak(&top, &old, to));
}

static void *work(void *arg)
{
    for (int r = 0; r < rounds; r++) {
        atomic_fetch_add(&counters[r % 16], 1);
        unsigned cell = pop();
        if (cell < CELLS) {
            owned[cell]++;
            push(cell);
        }
        if (r % 8)
            continue;
        unsigned mine = atomic_fetch_add(&ticket, 1);
        while (atomic_load(&serving) != mine)
            sched_yield();
        guarded++;
        atomic_store(&serving, mine + 1);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = 150000 * (argc > 1 ? atoi(argv[1]) : 1);
    for (unsigned i = 0; i < CELLS; i++)
        push(i);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%lu\n", guarded);
    return 0;
}
