/* One program for each condition under which walks pass a record over ("Short ways", "The sieve"
 * and "Calm memory" of docs/algorithms/building.md), -DRULE=N: an answer would change if the
 * condition were not asked for. 1: the end of a local that was handed over; 2: one half of a
 * granule holds what depends on another thread, and the other half is used; 3: an atomic of the
 * thread's own holds what was read from memory that may be handed over, and is not. */
#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int *slot;
#if RULE == 3
static volatile int given;
static atomic_int common, seen;
#else
static volatile int given, common, seen;
#endif

#if RULE == 1
static void *use(void *arg)
{
    volatile int *x = NULL;
    while (!x) {
        pthread_mutex_lock(&lock);
        x = slot;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    for (int i = 0; i < 16; i++)
        seen += x[i];
    return arg;
}

static __attribute__((noinline)) void work(volatile char *room)
{
    volatile int x[16];
    *room = 1;
    for (int i = 0; i < 16; i++)
        x[i] = i;
    pthread_mutex_lock(&lock);
    slot = x;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 100; i++)
        sched_yield(); /* which is no order */
} /* x ends, and may be in use */
#else
static void *use(void *arg)
{
    common = 1;
    pthread_mutex_lock(&lock);
    given = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

#if RULE == 2
struct pair {
    volatile int low, high;
} pair __attribute__((aligned(8)));

static void work(volatile char *room)
{
    struct pair *x = &pair;
    *room = 1;
    for (int i = 0; i < 8; i++) { /* from the second round on calm memory is passed over */
        for (int k = 0; i == 7 && k < 100; k++)
            sched_yield(); /* the other thread runs to its end, which is no order */
        pthread_mutex_lock(&lock);
        x->high = given;
        pthread_mutex_unlock(&lock);
        x->low = i;
        if (x->high == 1)
            common = 2;
    }
}
#else
atomic_int own;

static void work(volatile char *room)
{
    atomic_int *x = &own;
    *room = 1;
    while (atomic_load(x) == 0) {
        sched_yield();
        atomic_store(x, given); /* without the lock */
        if (atomic_load(x) == 1)
            common = 2;
    }
    seen = given;
}
#endif
#endif

int main(void)
{
    pthread_t t;
    volatile char *room = alloca(65536); /* what comes behind work leaves its stack alone */
    pthread_create(&t, NULL, use, NULL);
    work(room);
    pthread_join(t, NULL);
    return 0;
}
