/* A thread polls a lock; when it gives up it counts without it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
#ifdef GOOD
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
#else
        int got = pthread_mutex_trylock(&lock) == 0;
        count++;
        if (got)
            pthread_mutex_unlock(&lock);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", count);
    return 0;
}
