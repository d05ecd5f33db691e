/* Data structures and locks made of atomics, ten rounds each. SHAPE is one of those below; GIVE is
 * the memory order of what hands on, TAKE of what takes over. */
#include "order.h"
#define ROUNDS 10
static int data[4];
static atomic_int word, other;

/* Test and test-and-set. */
static void *ttas(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        do
            while (atomic_load_explicit(&word, relaxed))
                continue;
        while (atomic_exchange_explicit(&word, 1, TAKE));
        data[0]++;
        atomic_store_explicit(&word, 0, GIVE);
    }
    return arg;
}

static void *ticket(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        int mine = atomic_fetch_add_explicit(&other, 1, relaxed);
        while (atomic_load_explicit(&word, TAKE) != mine)
            continue;
        data[0]++;
        atomic_store_explicit(&word, mine + 1, GIVE);
    }
    return arg;
}

/* A lock of three values, given back by an exchange. */
static void *futex(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        int none = 0;
        if (!atomic_compare_exchange_strong_explicit(&word, &none, 1, TAKE, relaxed))
            while (atomic_exchange_explicit(&word, 2, TAKE))
                continue;
        data[0]++;
        atomic_exchange_explicit(&word, 0, GIVE);
    }
    return arg;
}

/* A ring of four places, one writer and one reader. */
static void *ring(void *arg)
{
    static atomic_int roles;
    int role = atomic_fetch_add_explicit(&roles, 1, relaxed), sum = 0;
    for (int i = 0; i < ROUNDS && role == 0; i++) {
        while (i - atomic_load_explicit(&other, TAKE) == 4)
            continue;
        data[i % 4] = i;
        atomic_store_explicit(&word, i + 1, GIVE);
    }
    for (int i = 0; i < ROUNDS && role; i++) {
        while (atomic_load_explicit(&word, TAKE) == i)
            continue;
        sum += data[i % 4];
        atomic_store_explicit(&other, i + 1, GIVE);
    }
    return sum < 0 ? NULL : arg;
}

static void meet(void)
{
    int round = atomic_load_explicit(&other, relaxed);
    if (atomic_fetch_add_explicit(&word, 1, GIVE == release ? acq_rel : GIVE) == 1) {
        atomic_store_explicit(&word, 0, relaxed);
        atomic_store_explicit(&other, round + 1, GIVE);
    } else {
        while (atomic_load_explicit(&other, TAKE) == round)
            continue;
    }
}

/* A barrier of a count and a generation. */
static void *barrier(void *arg)
{
    static atomic_int roles;
    int role = atomic_fetch_add_explicit(&roles, 1, relaxed), sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        data[role] = i;
        meet();
        sum += data[!role];
        meet();
    }
    return sum < 0 ? NULL : arg;
}

/* References: each thread has one, takes more by relaxed increments, and gives all back; who gives
 * the last one back writes. */
static void *references(void *arg)
{
    static atomic_int holders = 2;
    int sum = 0;
    for (int i = 0; i <= ROUNDS; i++) {
        if (i < ROUNDS)
            atomic_fetch_add_explicit(&holders, 1, relaxed);
        sum += data[0];
        if (atomic_fetch_sub_explicit(&holders, 1, GIVE) == 1) {
            atomic_thread_fence(TAKE);
            data[0] = sum;
        }
    }
    return arg;
}

/* A lock of relaxed operations and fences. */
static void *fences(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_exchange_explicit(&word, 1, relaxed))
            continue;
        atomic_thread_fence(TAKE);
        data[0]++;
        atomic_thread_fence(GIVE);
        atomic_store_explicit(&word, 0, relaxed);
    }
    return arg;
}

static void *(*const all[])(void *) = {ttas, ticket, futex, ring, barrier, references, fences};
static void *worker(void *arg)
{
    return all[SHAPE](arg);
}
RUN(worker, worker)
