/* Rwlocks: tries and time-outs on both sides, writers first. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;
static int fails, value;

static void *reader(void *arg)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    fails += pthread_rwlock_tryrdlock(&lock) == EBUSY;
    fails += pthread_rwlock_timedrdlock(&lock, &ts) == ETIMEDOUT;
    fails += pthread_rwlock_trywrlock(&lock) == EBUSY;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    fails += pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &ts) == ETIMEDOUT;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    printf("fails %d value %d\n", fails, value);
    printf("again %d\n", pthread_rwlock_tryrdlock(&lock));
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
