/* Two threads write x by code without hooks, so that nobody knows whose value is read, while a
 * thread that used x before is in a wait. No race. */
#include <pthread.h>

void poke(int *p, int v);

static int x = 1, done;
static pthread_barrier_t both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    poke(&x, arg ? 5 : 6);
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&lock);
    int r = x;
    if (++done == 2)
        pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return r ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_mutex_lock(&lock);
    x = 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, i ? &x : NULL);
    while (done < 2)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
