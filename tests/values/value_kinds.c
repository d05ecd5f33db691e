/* Data kept apart by values, in several ways (-DKIND). Race free; with -DFAULT one access stands
 * where the values do not keep it apart. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3 };

static int shared;

#if KIND == 0 /* a queue lock of Craig, Landin and Hagersten: each waits for the one before */
static atomic_int nodes[THREADS * N + 1];
static atomic_int tail;
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        int mine = 1 + (int)(long)arg * N + i;
        atomic_store(&nodes[mine], 1);
        int before = atomic_exchange(&tail, mine);
        while (atomic_load(&nodes[before])) {
        }
        shared++;
        atomic_store(&nodes[mine], 0);
#ifdef FAULT
        shared++;
#endif
    }
    return 0;
}
#elif KIND == 1 /* a latch: who counts it down to nothing, or sees so, goes on */
static atomic_int left = THREADS;
static int part[THREADS];
static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < N; i++)
        part[me]++;
#ifdef FAULT
    if (me == 1)
        atomic_fetch_sub(&left, 1);
    part[me]++;
    if (me != 1)
        atomic_fetch_sub(&left, 1);
#else
    atomic_fetch_sub(&left, 1);
#endif
    if (me == 0) {
        while (atomic_load(&left)) {
        }
        for (int i = 0; i < THREADS; i++)
            shared += part[i];
    }
    return 0;
}
#elif KIND == 2 /* a flag hands the data from one to the next */
static atomic_int turn;
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        while (atomic_load(&turn) != (int)(long)arg + i * THREADS) {
        }
        shared++;
        atomic_store(&turn, (int)(long)arg + i * THREADS + 1);
#ifdef FAULT
        shared++;
#endif
    }
    return 0;
}
#elif KIND ==                                                                                      \
    3 /* a list: the lock of a node is taken before that of the one before is given back */
enum { LENGTH = 4 };
static struct {
    pthread_mutex_t lock;
    int value;
} node[LENGTH] = {{PTHREAD_MUTEX_INITIALIZER, 0},
                  {PTHREAD_MUTEX_INITIALIZER, 0},
                  {PTHREAD_MUTEX_INITIALIZER, 0},
                  {PTHREAD_MUTEX_INITIALIZER, 0}};
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&node[0].lock);
        for (int k = 0; k + 1 < LENGTH; k++) {
            pthread_mutex_lock(&node[k + 1].lock);
            node[k].value += node[k + 1].value + 1;
            pthread_mutex_unlock(&node[k].lock);
#ifdef FAULT
            node[k].value++;
#endif
        }
        pthread_mutex_unlock(&node[LENGTH - 1].lock);
    }
    return arg;
}
#elif KIND ==                                                                                      \
    4 /* a sequence number: odd while the only writer writes, even when a read was whole */
static atomic_int sequence;
static atomic_int a, b;
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        if ((long)arg == 0) {
            atomic_fetch_add(&sequence, 1);
            atomic_store(&a, i);
            atomic_store(&b, i);
            atomic_fetch_add(&sequence, 1);
            continue;
        }
        int before = atomic_load(&sequence), x = atomic_load(&a), y = atomic_load(&b);
        if (before % 2 == 0 && atomic_load(&sequence) == before && x != y)
            return (void *)1;
    }
#ifdef FAULT
    shared++;
#endif
    return 0;
}
#endif

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return shared < 0;
}
