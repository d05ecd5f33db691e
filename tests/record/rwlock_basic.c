/* Reader and writer locks, and their answers. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *reader(void *arg)
{
    struct timespec now;
    pthread_rwlock_rdlock(&lock);
    *(int *)arg = data;
    pthread_rwlock_unlock(&lock);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("try %d\n", pthread_rwlock_tryrdlock(&lock));
    printf("wr %d\n", pthread_rwlock_trywrlock(&lock) == EBUSY);
    printf("timedwr %d\n", pthread_rwlock_timedwrlock(&lock, &now) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("clockwr %d\n", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &now) == ETIMEDOUT);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct timespec now;
    static int seen;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_rwlock_wrlock(&lock);
    data = 7;
    printf("again %d\n", pthread_rwlock_wrlock(&lock) == EDEADLK);
    printf("read %d\n", pthread_rwlock_rdlock(&lock) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    printf("nested %d\n", pthread_rwlock_rdlock(&lock));
    pthread_rwlock_unlock(&lock);
    pthread_create(&t, NULL, reader, &seen);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&lock);
    printf("timedrd %d\n", pthread_rwlock_timedrdlock(&lock, &now));
    pthread_rwlock_unlock(&lock);
    printf("seen %d destroy %d\n", seen, pthread_rwlock_destroy(&lock));
    return 0;
}
