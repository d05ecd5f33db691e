/* Four workers take tasks from a queue until it is empty. Without GOOD they add to total without
 * the lock. Under policy fifo the first worker takes all tasks, and the others do nothing. */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 4
#define TASKS   8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_task, total;

static int take(void)
{
    pthread_mutex_lock(&lock);
    int task = next_task < TASKS ? next_task++ : -1;
    pthread_mutex_unlock(&lock);
    return task;
}

static void *worker(void *arg)
{
    for (int task; (task = take()) >= 0;) {
#ifdef GOOD
        pthread_mutex_lock(&lock);
        total += task;
        pthread_mutex_unlock(&lock);
#else
        total += task;
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("total %d\n", total);
    return 0;
}
