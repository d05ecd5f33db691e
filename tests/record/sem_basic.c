/* Semaphores: values, failures, a producer and a consumer. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t items, room;
static int box;

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++) {
        sem_wait(&room);
        box = i;
        sem_post(&items);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    int value, sum = 0;
    sem_init(&items, 0, 0);
    sem_init(&room, 0, 1);
    sem_getvalue(&room, &value);
    printf("value %d\n", value);
    int r = sem_trywait(&items);
    printf("try %d %d\n", r, errno == EAGAIN);
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    r = sem_timedwait(&items, &ts);
    printf("timed %d %d\n", r, errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    r = sem_clockwait(&items, CLOCK_MONOTONIC, &ts);
    printf("clock %d %d\n", r, errno == ETIMEDOUT);
    pthread_create(&t, NULL, produce, NULL);
    for (int i = 0; i < 3; i++) {
        sem_wait(&items);
        sum += box;
        sem_post(&room);
    }
    pthread_join(t, NULL);
    printf("sum %d\n", sum);
    sem_destroy(&items);
    sem_init(&items, 0, 2);
    r = sem_trywait(&items);
    printf("again %d\n", r);
    return 0;
}
