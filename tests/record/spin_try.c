/* Spinlocks: a try that fails tells that somebody holds it. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static sem_t held, tried;
static int busy, value;

static void *work(void *arg)
{
    sem_wait(&held);
    busy = pthread_spin_trylock(&lock) == EBUSY;
    sem_post(&tried);
    pthread_spin_lock(&lock);
    value += 1;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    sem_init(&held, 0, 0);
    sem_init(&tried, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    pthread_spin_lock(&lock);
    sem_post(&held);
    sem_wait(&tried);
    value = 4;
    pthread_spin_unlock(&lock);
    pthread_join(t, NULL);
    printf("busy %d value %d\n", busy, value);
    return pthread_spin_destroy(&lock);
}
