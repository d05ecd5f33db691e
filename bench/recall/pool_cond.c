/* A pool with a condition variable; its workers sum up results. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[16], n_queued, stop, sum;

static int next_job(void)
{
    int job = -1;
    pthread_mutex_lock(&lock);
    while (!n_queued && !stop)
        pthread_cond_wait(&more, &lock);
    if (n_queued)
        job = queue[--n_queued];
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *arg)
{
    for (int job; (job = next_job()) >= 0;) {
#ifdef GOOD
        pthread_mutex_lock(&lock);
        sum += job;
        pthread_mutex_unlock(&lock);
#else
        sum += job;
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&lock);
        queue[n_queued++] = i;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return 0;
}
