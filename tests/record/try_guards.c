/* What a failed try tells: trylock, trywait and tryjoin guard accesses that then cannot race. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t taken, given;
static int a, b;

/* Whoever finds the semaphore empty came second. */
static void *first(void *arg)
{
    a = 1;
    if (sem_trywait(&taken) == 0)
        b = 1;
    sem_post(&given);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&taken, 0, 1);
    sem_init(&given, 0, 0);
    pthread_create(&t, NULL, first, NULL);
    sem_wait(&given);
    int r = sem_trywait(&taken);
    if (r != 0)
        b += 2;
    int value;
    sem_getvalue(&taken, &value);
    printf("try %d value %d b %d\n", r, value, b);
    pthread_join(t, NULL);
    printf("a %d\n", a);
    return 0;
}
