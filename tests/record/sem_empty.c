/* Only one of two threads finds the semaphore full; the one that does not stays away. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t one;
static int owned;

static void *work(void *arg)
{
    if (sem_trywait(&one) == 0)
        owned++;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&one, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("owned %d\n", owned);
    return 0;
}
