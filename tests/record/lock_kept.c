/* A thread ends and keeps its locks: who joined it cannot take them, nor can any other thread. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, nested;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void *keep(void *arg)
{
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&nested);
    pthread_mutex_lock(&nested);
    pthread_rwlock_wrlock(&shared);
    return arg;
}

static void *try_all(void *who)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = 0;
    printf("%s:", (const char *)who);
    printf(" %d", pthread_mutex_trylock(&plain) == EBUSY);
    printf(" %d", pthread_mutex_trylock(&nested) == EBUSY);
    printf(" %d", pthread_mutex_timedlock(&nested, &soon) == ETIMEDOUT);
    printf(" %d", pthread_rwlock_tryrdlock(&shared) == EBUSY);
    printf(" %d\n", pthread_rwlock_trywrlock(&shared) == EBUSY);
    return who;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&nested, &attr);
    pthread_create(&t, NULL, keep, NULL);
    pthread_join(t, NULL);
    try_all("joined");
    pthread_create(&t, NULL, try_all, "other");
    pthread_join(t, NULL);
    return 0;
}
