/* A pool of connections: whoever finds none waits until one is given back. With -DTWICE a thread
 * checks in one critical section and takes in the next: another can take the last one between. */
// expect: race=- atomicity=- deadlock=-
// expect -DTWICE: race=- atomicity=idle deadlock=-
#include <pthread.h>
#include <stdio.h>

enum { USERS = 3, POOL = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int idle = POOL, used;

static void take(void)
{
#ifdef TWICE
    pthread_mutex_lock(&lock);
    int left = idle;
    pthread_mutex_unlock(&lock);
    if (left > 0) {
        pthread_mutex_lock(&lock);
        idle = left - 1;
        pthread_mutex_unlock(&lock);
    }
#else
    pthread_mutex_lock(&lock);
    while (idle == 0)
        pthread_cond_wait(&given_back, &lock);
    idle--;
    pthread_mutex_unlock(&lock);
#endif
}

static void give(void)
{
    pthread_mutex_lock(&lock);
    idle++;
    pthread_cond_signal(&given_back);
    pthread_mutex_unlock(&lock);
}

static void *user(void *arg)
{
    (void)arg;
    take();
    pthread_mutex_lock(&lock);
    used++;
    pthread_mutex_unlock(&lock);
    give();
    return NULL;
}

int main(void)
{
    pthread_t threads[USERS];
    for (int i = 0; i < USERS; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d used\n", used);
    return 0;
}
