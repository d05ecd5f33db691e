/* A missed notification.
 *
 * The notifier sets `ready` without the lock. Its store and its signal can fall between the
 * waiter's look at `ready` and its wait: the signal meets nobody, and the waiter sleeps for ever.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    puts("ready");
    return arg;
}

static void *notifier(void *arg)
{
    ready = 1; /* without the lock: the waiter may have looked already */
    pthread_cond_signal(&changed);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, notifier, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
