/* Two threads, one lock, one write outside it.
 *
 * `lower` counts its change under the lock, but sets the level after it has given the lock back. In
 * nearly every run `higher` comes first, and then the lock itself puts the two writes in order: a
 * detector that goes by the order of the run at hand sees nothing wrong. If `lower` takes the lock
 * first, nothing orders the writes any more. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, changes;

static void *higher(void *arg)
{
    pthread_mutex_lock(&lock);
    level = 10;
    changes++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *lower(void *arg)
{
    pthread_mutex_lock(&lock);
    changes++;
    pthread_mutex_unlock(&lock);
    level = 5; /* too late: the lock is gone */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, higher, NULL);
    pthread_create(&b, NULL, lower, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("level %d after %d changes\n", level, changes);
    return 0;
}
