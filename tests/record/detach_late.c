/* Detached threads, by attribute and by call; joining one is refused. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int count;

static void *work(void *arg)
{
    count++;
    sem_post(&done);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, NULL);
    sem_wait(&done);
    pthread_create(&t, NULL, work, NULL);
    printf("detach %d\n", pthread_detach(t));
    printf("join %d\n", pthread_join(t, NULL) == EINVAL);
    sem_wait(&done);
    printf("count %d\n", count);
    return 0;
}
