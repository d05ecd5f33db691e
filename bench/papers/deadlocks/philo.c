/* Philosophers at a round table: each takes the fork on the left, then the one on the right. Each
 * counts its meals in a place of its own and all meals under one lock. One cycle of five locks. */
#include <pthread.h>
#include <stdio.h>

enum { SEATS = 5 };
static pthread_mutex_t forks[SEATS];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static int meals[SEATS], all;

static void *eat(void *arg)
{
    int seat = *(int *)arg;
    pthread_mutex_lock(&forks[seat]);
    pthread_mutex_lock(&forks[(seat + 1) % SEATS]);
    meals[seat]++;
    pthread_mutex_lock(&table);
    all++;
    pthread_mutex_unlock(&table);
    pthread_mutex_unlock(&forks[(seat + 1) % SEATS]);
    pthread_mutex_unlock(&forks[seat]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];
    int seats[SEATS];
    for (int i = 0; i < SEATS; i++) {
        pthread_mutex_init(&forks[i], NULL);
        seats[i] = i;
    }
    for (int i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, eat, &seats[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", all);
    return 0;
}
