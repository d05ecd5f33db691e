/* A reader-writer lock that is one atomic number: how many read, or that one writes. KIND 0: a
 * writer makes it -1, and gives it back by a store; 1: by an addition, to a long; 2: readers are
 * counted before they look, and a writer adds 1024. Race free; with -DFAULT a reader writes. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 4, WRITER = KIND == 2 ? 1024 : -1 };

static int a, b;
static
#if KIND == 1
    atomic_long
#else
    atomic_int
#endif
        word;

static void read_lock(void)
{
#if KIND == 2
    while (atomic_fetch_add(&word, 1) & WRITER)
        atomic_fetch_sub(&word, 1);
#else
    for (;;) {
        __typeof__(atomic_load(&word)) v = atomic_load(&word);
        if (v >= 0 && atomic_compare_exchange_strong(&word, &v, v + 1))
            return;
    }
#endif
}

static void write_lock(void)
{
    __typeof__(atomic_load(&word)) v;
    do
        v = 0;
    while (!atomic_compare_exchange_strong(&word, &v, WRITER));
}

static void write_unlock(void)
{
    if (KIND == 0)
        atomic_store(&word, 0);
    else
        atomic_fetch_sub(&word, WRITER);
}

static void *work(void *arg)
{
    int odd = 0;
    for (int i = 0; i < N; i++) {
        if ((i + (long)arg) % 3 == 0) {
            write_lock();
            a++;
            b++;
            write_unlock();
            continue;
        }
        read_lock();
        odd += a != b;
#ifdef FAULT
        if (i == N - 1)
            a++;
#endif
        atomic_fetch_sub(&word, 1);
    }
    return odd ? arg : 0;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
