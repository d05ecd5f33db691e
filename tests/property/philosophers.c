/* Five philosophers, five forks: everybody takes the left one first. With -DORDERED the last one
 * takes them the other way round; with -DWAITER one has to ask a waiter before taking any. */
// expect: race=- atomicity=- deadlock=5
// expect -DORDERED: race=- atomicity=- deadlock=-
// expect -DWAITER: race=- atomicity=- deadlock=-
#include <pthread.h>
#include <stdio.h>

enum { N = 5, MEALS = 2 };

static pthread_mutex_t forks[N], waiter = PTHREAD_MUTEX_INITIALIZER;
static int meals[N];

static void *philosopher(void *arg)
{
    int me = *(int *)arg, first = me, second = (me + 1) % N;
#ifdef ORDERED
    if (me == N - 1) {
        first = 0;
        second = me;
    }
#endif
    for (int i = 0; i < MEALS; i++) {
#ifdef WAITER
        pthread_mutex_lock(&waiter);
#endif
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
#ifdef WAITER
        pthread_mutex_unlock(&waiter);
#endif
        meals[me]++;
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int seats[N], total = 0;
    (void)waiter;
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < N; i++) {
        seats[i] = i;
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        total += meals[i];
    }
    printf("%d meals\n", total);
    return 0;
}
