/* Data kept apart by several locations together, in several ways (-DKIND). Race free; with -DFAULT
 * one access stands where they do not keep it apart. With -DRARE the queue lock keeps few accesses
 * apart, in as many states. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3 };

static int shared, data[THREADS];

#if KIND == 0 /* a queue lock of Craig, Landin and Hagersten; a node is used again by the next */
static atomic_int nodes[THREADS + 1], tail;

static void *work(void *arg)
{
    int mine = (int)(long)arg + 1;
    for (int i = 0; i < N; i++) {
        atomic_store(&nodes[mine], 1);
        int before = atomic_exchange(&tail, mine);
        while (atomic_load(&nodes[before])) {
        }
#ifdef RARE
        if (i == N - 1)
#endif
            shared++;
        atomic_store(&nodes[mine], 0);
        mine = before;
    }
#ifdef FAULT
    shared++;
#endif
    return NULL;
}

#elif KIND == 1 /* readers and a writer, counted under a mutex */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;

static void change(int *count, int by)
{
    pthread_mutex_lock(&lock);
    while (by > 0 && (writers || (count == &writers && readers)))
        pthread_cond_wait(&changed, &lock);
    *count += by;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    long sum = 0;
    for (int i = 0; i < N; i++) {
        int *count = (i + (long)arg) % 3 ? &readers : &writers;
        change(count, 1);
        if (count == &writers)
            shared++;
        else
            sum += shared;
#ifdef FAULT
        shared++;
#endif
        change(count, -1);
    }
    return (void *)sum;
}

#elif KIND == 2 /* the first reader takes a lock for all, and the last one gives it back */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int readers;
static atomic_int room;

static void enter(void)
{
    int expected;
    do
        expected = 0;
    while (!atomic_compare_exchange_strong(&room, &expected, 1));
}

static void *work(void *arg)
{
    long sum = 0;
    for (int i = 0; i < N; i++) {
        if ((i + (long)arg) % 3 == 0) {
            enter();
            shared++;
            atomic_store(&room, 0);
#ifdef FAULT
            shared++;
#endif
            continue;
        }
        pthread_mutex_lock(&lock);
        if (++readers == 1)
            enter();
        pthread_mutex_unlock(&lock);
        sum += shared;
        pthread_mutex_lock(&lock);
        if (--readers == 0)
            atomic_store(&room, 0);
        pthread_mutex_unlock(&lock);
    }
    return (void *)sum;
}

#elif KIND == 3 /* a barrier that turns its sense */
static atomic_int count = THREADS, sense;

static void meet(int *mine)
{
    *mine = !*mine;
    if (atomic_fetch_sub(&count, 1) == 1) {
        atomic_store(&count, THREADS);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine) {
        }
    }
}

static void *work(void *arg)
{
    int mine = 0, me = (int)(long)arg;
    long sum = 0;
    for (int i = 0; i < N; i++) {
        data[me] = i;
        meet(&mine);
        sum += data[(me + 1) % THREADS];
#ifdef FAULT
        data[me] = i;
#endif
        meet(&mine);
    }
    return (void *)sum;
}

#elif KIND == 4 /* a slot with a flag; what is in it is written outside of the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void await(int state)
{
    pthread_mutex_lock(&lock);
    while (full != state)
        pthread_cond_wait(&changed, &lock);
}

static void leave(int state)
{
    full = state;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    long sum = 0;
    for (int i = 0; i < N * (arg ? 1 : THREADS - 1); i++) {
        await(arg != NULL);
        if (arg) {
            sum += shared;
            leave(0);
            continue;
        }
        pthread_mutex_unlock(&lock);
        shared = i;
        pthread_mutex_lock(&lock);
        leave(1);
#ifdef FAULT
        shared = i;
#endif
    }
    return (void *)sum;
}

#elif KIND == 5 /* readers have a flag each; a writer looks at all of them */
static atomic_int reads[THREADS], writes;

static void *work(void *arg)
{
    int me = (int)(long)arg, expected;
    long sum = 0;
    for (int i = 0; i < N; i++) {
        if ((i + me) % 3 == 0) {
            do
                expected = 0;
            while (!atomic_compare_exchange_strong(&writes, &expected, 1));
            for (int k = 0; k < THREADS; k++)
                while (atomic_load(&reads[k])) {
                }
            shared++;
            atomic_store(&writes, 0);
            continue;
        }
        for (;;) {
            atomic_store(&reads[me], 1);
            if (!atomic_load(&writes))
                break;
            atomic_store(&reads[me], 0);
            while (atomic_load(&writes)) {
            }
        }
        sum += shared;
        atomic_store(&reads[me], 0);
#ifdef FAULT
        sum += shared;
#endif
    }
    return (void *)sum;
}
#endif

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return shared + data[0] < 0;
}
