/* What each type of mutex answers. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void show(const char *what, int r)
{
    printf("%s: %s\n", what, r ? strerrorname_np(r) : "0");
}

static pthread_mutex_t lock;

static void make(int type, int robust)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_setrobust(&attr, robust);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void *other(void *arg)
{
    struct timespec ts;
    (void)arg;
    show("other trylock", pthread_mutex_trylock(&lock));
    clock_gettime(CLOCK_REALTIME, &ts);
    show("other timedlock", pthread_mutex_timedlock(&lock, &ts));
    clock_gettime(CLOCK_MONOTONIC, &ts);
    show("other clocklock", pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &ts));
    ts.tv_nsec = -1;
    show("other invalid", pthread_mutex_timedlock(&lock, &ts));
    return NULL;
}

static void *die_with_lock(void *arg)
{
    pthread_mutex_lock(&lock);
    return arg;
}

static void run(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    pthread_join(t, NULL);
}

int main(void)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    show("lock", pthread_mutex_lock(&lock));
    show("trylock", pthread_mutex_trylock(&lock));
    run(other);
    show("destroy", pthread_mutex_destroy(&lock));
    show("unlock", pthread_mutex_unlock(&lock));
    show("destroy", pthread_mutex_destroy(&lock));
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    show("unlock", pthread_mutex_unlock(&lock));
    show("lock", pthread_mutex_lock(&lock));
    show("lock", pthread_mutex_lock(&lock));
    show("trylock", pthread_mutex_trylock(&lock));
    run(other);
    for (int i = 0; i < 4; i++)
        show("unlock", pthread_mutex_unlock(&lock));
    make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    show("lock", pthread_mutex_lock(&lock));
    show("lock", pthread_mutex_lock(&lock));
    show("trylock", pthread_mutex_trylock(&lock));
    show("unlock", pthread_mutex_unlock(&lock));
    show("unlock", pthread_mutex_unlock(&lock));
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    run(die_with_lock);
    show("robust lock", pthread_mutex_lock(&lock));
    show("consistent", pthread_mutex_consistent(&lock));
    show("consistent", pthread_mutex_consistent(&lock));
    show("unlock", pthread_mutex_unlock(&lock));
    run(die_with_lock);
    show("robust trylock", pthread_mutex_trylock(&lock));
    show("unlock", pthread_mutex_unlock(&lock));
    show("lock", pthread_mutex_lock(&lock));
    return 0;
}
