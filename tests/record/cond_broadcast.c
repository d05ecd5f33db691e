/* One broadcast wakes three waiters; a predicate under the lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int go, here, sum;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    here++;
    pthread_cond_signal(&arrived);
    while (!go)
        pthread_cond_wait(&cond, &lock);
    sum += go;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (here < 3)
        pthread_cond_wait(&arrived, &lock);
    go = 2;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("sum %d\n", sum);
    return 0;
}
