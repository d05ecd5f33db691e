/* Two threads take two mutexes in opposite orders. The second one is only tried, and who does not
 * get it gives the first back and starts again: as std::lock does, nobody can be stuck. With
 * -DTIMED it is waited for with a time limit, with -DRW the second is a rwlock that is tried; with
 * -DONE only one of the threads is so careful; with -DBLOCKING nobody is. */
// expect: race=- atomicity=- deadlock=-
// expect -DTIMED: race=- atomicity=- deadlock=-
// expect -DRW: race=- atomicity=- deadlock=-
// expect -DONE: race=- atomicity=- deadlock=-
// expect -DBLOCKING: race=- atomicity=- deadlock=2
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#ifdef RW
typedef pthread_rwlock_t lock;
#define TAKE    pthread_rwlock_wrlock
#define TRY     pthread_rwlock_tryrdlock
#define RELEASE pthread_rwlock_unlock
static lock a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
#else
typedef pthread_mutex_t lock;
#define TAKE    pthread_mutex_lock
#define TRY     pthread_mutex_trylock
#define RELEASE pthread_mutex_unlock
static lock a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#endif

static bool second(lock *l, bool careful)
{
#ifdef BLOCKING
    careful = false;
#endif
    if (!careful)
        return TAKE(l) == 0;
#ifdef TIMED
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    return pthread_mutex_timedlock(l, &end) == 0;
#else
    return TRY(l) == 0;
#endif
}

static void both(lock *x, lock *y, bool careful)
{
    TAKE(x);
    while (!second(y, careful)) {
        RELEASE(x);
        TAKE(x);
    }
    RELEASE(y);
    RELEASE(x);
}

static void *there(void *arg)
{
    both(&a, &b, true);
    return arg;
}

static void *back(void *arg)
{
#ifdef ONE
    both(&b, &a, false);
#else
    both(&b, &a, true);
#endif
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, there, NULL);
    pthread_create(&u, NULL, back, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    puts("done");
    return 0;
}
