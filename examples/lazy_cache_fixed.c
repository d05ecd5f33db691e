/* lazy_cache.c, corrected: the cache has a lock of its own. */
#include <pthread.h>
#include <stdio.h>

#define JOBS  6
#define BATCH 3 /* jobs that one worker does */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static const int jobs[JOBS] = {0, 1, 2, 2, 1, 0};
static int next_job, results[JOBS];
static struct {
    int known, square;
} cache[JOBS];

static int square(int n)
{
    pthread_mutex_lock(&cache_lock);
    if (!cache[n].known) {
        cache[n].square = n * n;
        cache[n].known = 1;
    }
    int result = cache[n].square;
    pthread_mutex_unlock(&cache_lock);
    return result;
}

static void *worker(void *arg)
{
    for (int i = 0; i < BATCH; i++) {
        pthread_mutex_lock(&lock);
        int job = next_job++;
        pthread_mutex_unlock(&lock);
        results[job] = square(jobs[job]);
    }
    return arg;
}

int main(void)
{
    pthread_t workers[JOBS / BATCH];
    int sum = 0;
    for (int i = 0; i < JOBS / BATCH; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS / BATCH; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < JOBS; i++)
        sum += results[i];
    printf("sum %d\n", sum);
    return 0;
}
