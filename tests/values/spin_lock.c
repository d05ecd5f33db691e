/* A counter under a spin lock, made in several ways (-DKIND). Race free; with -DFAULT the last
 * addition of each thread stands outside. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3 };

static int shared;

#if KIND == 0 /* compare and swap */
static atomic_int word;
static void lock(void)
{
    int expected;
    do {
        expected = 0;
    } while (!atomic_compare_exchange_strong(&word, &expected, 1));
}
static void unlock(void)
{
    atomic_store(&word, 0);
}
#elif KIND == 1 /* test and set */
static atomic_flag flag = ATOMIC_FLAG_INIT;
static void lock(void)
{
    while (atomic_flag_test_and_set(&flag)) {
    }
}
static void unlock(void)
{
    atomic_flag_clear(&flag);
}
#elif KIND == 2 /* test, then test and set, by exchange */
static atomic_int word;
static void lock(void)
{
    do {
        while (atomic_load(&word)) {
        }
    } while (atomic_exchange(&word, 1));
}
static void unlock(void)
{
    atomic_store(&word, 0);
}
#elif KIND == 3 /* tickets */
static atomic_uint next, serving;
static void lock(void)
{
    unsigned mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) {
    }
}
static void unlock(void)
{
    atomic_store(&serving, atomic_load(&serving) + 1);
}
#elif KIND == 4 /* a queue of waiting threads (MCS) */
struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};
static _Atomic(struct node *) tail;
static _Thread_local struct node *mine;
static struct node nodes[THREADS];
static atomic_int given;
static void lock(void)
{
    if (!mine)
        mine = &nodes[atomic_fetch_add(&given, 1)];
    atomic_store(&mine->next, NULL);
    atomic_store(&mine->waits, 1);
    struct node *before = atomic_exchange(&tail, mine);
    if (!before)
        return;
    atomic_store(&before->next, mine);
    while (atomic_load(&mine->waits)) {
    }
}
static void unlock(void)
{
    struct node *expected = mine;
    if (!atomic_load(&mine->next)) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while (!atomic_load(&mine->next)) {
        }
    }
    atomic_store(&atomic_load(&mine->next)->waits, 0);
}
#endif

static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        lock();
        shared++;
        unlock();
    }
#ifdef FAULT
    shared++;
#endif
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", shared);
    return 0;
}
