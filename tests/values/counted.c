/* Objects that several threads share, and that go when their count is 0. A table has some of them;
 * a thread that takes one from it adds 1 to its count. KIND 0: counts have a lock of their own,
 * objects that go come again from a pool with a third lock; 1: counts under the lock of the table;
 * 2: atomic counts; 3: as 1, with malloc and free; 4: as 2, with malloc and free. Race free; with
 * -DFAULT an object is read after its count was taken back. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef N
#define N 10
#endif
#ifndef KIND
#define KIND 0
#endif
enum { THREADS = 3, SLOTS = 2, POOLED = 6 };
struct item {
    struct item *next;
#if KIND == 2 || KIND == 4
    atomic_int refs;
#else
    int refs;
#endif
    int data;
};
static struct item *table[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#if KIND == 0
static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;
#define COUNT_LOCK()   pthread_mutex_lock(&counts)
#define COUNT_UNLOCK() pthread_mutex_unlock(&counts)
#else
#define COUNT_LOCK()   (void)0
#define COUNT_UNLOCK() (void)0
#endif
#if KIND < 3
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item items[POOLED + THREADS], *pool;
static struct item *fresh(void)
{
    pthread_mutex_lock(&pool_lock);
    struct item *it = pool;
    if (it)
        pool = it->next;
    pthread_mutex_unlock(&pool_lock);
    return it;
}
static void gone(struct item *it)
{
    it->data = -1;
    pthread_mutex_lock(&pool_lock);
    it->next = pool;
    pool = it;
    pthread_mutex_unlock(&pool_lock);
}
#else
static struct item *fresh(void)
{
    return malloc(sizeof(struct item));
}
static void gone(struct item *it)
{
    it->data = -1;
    free(it);
}
#endif

static struct item *get(int slot)
{
    pthread_mutex_lock(&lock);
    struct item *it = table[slot];
    if (it) {
        COUNT_LOCK();
        it->refs++;
        COUNT_UNLOCK();
    }
    pthread_mutex_unlock(&lock);
    return it;
}

static void put(struct item *it)
{
#if KIND == 0
    COUNT_LOCK();
    int left = --it->refs;
    COUNT_UNLOCK();
#elif KIND == 2 || KIND == 4
    int left = --it->refs;
#else
    pthread_mutex_lock(&lock);
    int left = --it->refs;
    pthread_mutex_unlock(&lock);
#endif
    if (!left)
        gone(it);
}

static void replace(int slot, int i)
{
    struct item *it = fresh();
    if (!it)
        return;
    it->data = i;
    it->refs = 1;
    pthread_mutex_lock(&lock);
    struct item *old = table[slot];
    table[slot] = it;
    pthread_mutex_unlock(&lock);
    if (old)
        put(old);
}

static int sum[THREADS];
static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < N; i++) {
        struct item *it = get(i % SLOTS);
        if (it) {
            sum[me] += it->data;
            put(it);
#ifdef FAULT
            sum[me] += it->data;
#endif
        }
        if (i % 3 == me % 3)
            replace((i / 3) % SLOTS, i);
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
#if KIND < 3
    for (int i = 0; i < POOLED; i++) {
        items[i].next = pool;
        pool = &items[i];
    }
#endif
    for (int i = 0; i < SLOTS; i++)
        replace(i, i);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
