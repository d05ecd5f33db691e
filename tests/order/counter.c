/* Relaxed counters order nothing and need not: the lock and the joins do. */
#include "order.h"
static int data;
static atomic_int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    atomic_fetch_add_explicit(&hits, 1, relaxed);
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    void *(*const start[])(void *) = {worker, worker};
    run(2, start);
    printf("%d %d\n", data, atomic_load_explicit(&hits, relaxed));
    return 0;
}
