/* A wait that runs out of time, and then looks at the result without the lock. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int result;

static void *work(void *arg)
{
    usleep(30000);
    pthread_mutex_lock(&lock);
    result = 9;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    int seen;
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&lock);
    while (!result && pthread_cond_timedwait(&change, &lock, &until) == 0)
        continue;
#ifdef GOOD
    seen = result;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    seen = result;
#endif
    pthread_join(t, NULL);
    printf("%d\n", seen);
    return 0;
}
