/* Detached threads count what they did; a semaphore says when all are done. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done, guard;
static int count;

static void *work(void *arg)
{
#ifdef GOOD
    sem_wait(&guard);
    count++;
    sem_post(&guard);
#else
    count++;
#endif
    sem_post(&done);
    return arg;
}

int main(void)
{
    sem_init(&done, 0, 0);
    sem_init(&guard, 0, 1);
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        pthread_detach(t);
    }
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    printf("%d\n", count);
    return 0;
}
