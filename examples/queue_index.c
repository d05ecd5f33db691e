/* Producer and consumer with a wrong index.
 *
 * The semaphores count correctly, but the consumer moves its index before it reads. It looks at the
 * slot that the producer may be filling. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define SLOTS 4
#define ITEMS 3

static int slots[SLOTS];
static sem_t filled, empty;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        slots[i % SLOTS] = 10 + i;
        sem_post(&filled);
    }
    return arg;
}

static void *consumer(void *arg)
{
    int sum = 0, out = 0;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&filled);
        out = (out + 1) % SLOTS; /* should come after the next line */
        sum += slots[out];
        sem_post(&empty);
    }
    printf("sum %d\n", sum);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&filled, 0, 0);
    sem_init(&empty, 0, SLOTS);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
