/* Calls with a time, a clock or a lock that is none. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        int r_ = (call);                                                                           \
        printf("%s: %s\n", #call, r_ ? strerrorname_np(r_ < 0 ? errno : r_) : "0");                \
    } while (0)

static pthread_mutex_t kinds[3] = {PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                   PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};
static const struct timespec bad = {0, 2000000000}, past = {1, 0};
static sem_t sem;

static void *others(void *arg)
{
    for (int i = 0; i < 3; i++) {
        SHOW(pthread_mutex_timedlock(&kinds[i], &bad));
        SHOW(pthread_mutex_timedlock(&kinds[i], &past));
        SHOW(pthread_mutex_clocklock(&kinds[i], CLOCK_PROCESS_CPUTIME_ID, &past));
    }
    SHOW(pthread_mutex_unlock(&kinds[1]));
    SHOW(pthread_mutex_unlock(&kinds[2]));
    return arg;
}

static void *waits(void *arg)
{
    sem_wait(&sem);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        pthread_mutex_lock(&kinds[i]);
    pthread_create(&t, NULL, others, NULL);
    pthread_join(t, NULL);
    SHOW(pthread_mutex_timedlock(&kinds[1], &bad));
    SHOW(pthread_mutex_timedlock(&kinds[2], &bad));
    pthread_mutex_unlock(&kinds[2]);
    SHOW(pthread_mutex_destroy(&kinds[2]));
    SHOW(pthread_mutex_lock(&kinds[2]));
    SHOW(pthread_mutex_trylock(&kinds[2]));
    SHOW(pthread_mutex_unlock(&kinds[2]));
    SHOW(pthread_mutex_init(&kinds[2], NULL));
    SHOW(pthread_mutex_lock(&kinds[2]));

    sem_init(&sem, 0, 1);
    SHOW(sem_timedwait(&sem, &bad));
    SHOW(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(sem_timedwait(&sem, &past));
    SHOW(sem_timedwait(&sem, &past));

    pthread_create(&t, NULL, waits, NULL);
    SHOW(pthread_clockjoin_np(t, NULL, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_timedjoin_np(t, NULL, &past));
    SHOW(sem_post(&sem));
    SHOW(pthread_join(t, NULL));
    return 0;
}
