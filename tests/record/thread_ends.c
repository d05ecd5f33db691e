/* Ways to end and to wait for a thread; keys and their destructors. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *p)
{
    destroyed += *(int *)p;
}

static void *with_key(void *arg)
{
    pthread_setspecific(key, arg);
    pthread_exit(arg);
}

static void *sleeper(void *arg)
{
    struct timespec ts = {0, 100000000};
    nanosleep(&ts, NULL);
    return arg;
}

int main(void)
{
    pthread_t t;
    static int one = 1;
    void *result;
    struct timespec now;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, with_key, &one);
    pthread_join(t, &result);
    printf("result %d destroyed %d\n", result == &one, destroyed);
    pthread_create(&t, NULL, sleeper, NULL);
    printf("try %d\n", pthread_tryjoin_np(t, NULL) == EBUSY);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("timed %d\n", pthread_timedjoin_np(t, NULL, &now) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("clock %d\n", pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &now) == ETIMEDOUT);
    now.tv_sec += 10;
    printf("clock %d\n", pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &now));
    printf("self %d\n", pthread_join(pthread_self(), NULL) == EDEADLK);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, sleeper, NULL);
    pthread_create(&t, NULL, sleeper, NULL);
    printf("detach %d\n", pthread_detach(t));
    usleep(300000);
    pthread_exit(NULL);
}
