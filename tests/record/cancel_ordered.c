/* What stands before pthread_cancel comes before the clean-up: no race. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static int data;
static sem_t never;

static void clean(void *arg)
{
    *(int *)arg = data + 1;
}

static void *waits(void *arg)
{
    pthread_cleanup_push(clean, arg);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    int result = 0;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, waits, &result);
    data = 4;
    pthread_cancel(t);
    pthread_join(t, NULL);
    printf("result %d\n", result);
    return 0;
}
