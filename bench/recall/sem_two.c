/* A semaphore as a lock, with one token too many. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t guard;
static int level;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&guard);
        level++;
        sem_post(&guard);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
#ifdef GOOD
    sem_init(&guard, 0, 1);
#else
    sem_init(&guard, 0, 2);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", level);
    return 0;
}
