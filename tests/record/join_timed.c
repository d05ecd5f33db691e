/* A join that comes too early is told so: what follows must not be taken for ordered. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int shared;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&gate);
    shared = 1; /* RACE a */
    pthread_mutex_unlock(&gate);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec ts;
    pthread_mutex_lock(&gate);
    pthread_create(&t, NULL, work, NULL);
    int r = pthread_tryjoin_np(t, NULL);
    printf("try %d\n", r == EBUSY);
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_sec++;
    r = pthread_timedjoin_np(t, NULL, &ts);
    printf("timed %d\n", r == ETIMEDOUT);
    pthread_mutex_unlock(&gate);
    if (r == ETIMEDOUT)
        shared = 2; /* RACE a */
    printf("join %d\n", pthread_join(t, NULL));
    printf("shared %d\n", shared > 0);
    return 0;
}
