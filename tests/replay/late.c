/* Two workers; the second one gets its work when the first has done a lot. */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t go[3];
static int total;

static void *worker(void *number)
{
    long me = (long)number;
    sem_wait(&go[me]);
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    sem_post(&go[me + 1]);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 3; i++)
        sem_init(&go[i], 0, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    sem_post(&go[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return total != 40001;
}
