/* hidden.c, corrected: both threads set the level under the lock. */
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
    level = 5;
    pthread_mutex_unlock(&lock);
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
