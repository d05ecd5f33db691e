/* Two threads guard the same variable with different locks. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *arg)
{
    pthread_mutex_t *lock = arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(lock);
        shared++;
        pthread_mutex_unlock(lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, &one);
#ifdef GOOD
    pthread_create(&b, NULL, work, &one);
#else
    pthread_create(&b, NULL, work, &two);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %p\n", shared, (void *)&two);
    return 0;
}
