/* One program for each condition of "Memory that one thread writes" (docs/algorithms/building.md),
 * -DRULE=N: the owner's reads of its own memory would change an answer if the condition were not
 * asked for. 1: what was written there depends on another thread; 2: another thread frees it; 3: it
 * is written by code without hooks (-DOUTSIDE, compiled apart); 4: another thread writes it;
 * 5: another thread writes what lies beside it. */
#ifdef OUTSIDE
void poke(volatile int *at)
{
    *at = 5;
}
#else
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;
volatile int given, common, seen;
void poke(volatile int *at);

static void *use(void *arg)
{
    volatile int *x = arg;
    sem_post(&begun);
    common = 1;
    pthread_mutex_lock(&lock);
    given = 1;
    pthread_mutex_unlock(&lock);
#if RULE == 2
    free((void *)x);
#elif RULE == 3
    poke(x);
#elif RULE == 4
    *x = 5;
#elif RULE == 5
    seen = *x;
    x[2] = 5;
#else
    seen = *x;
#endif
    return NULL;
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    int value = given;
    pthread_mutex_unlock(&lock);
    return value;
}

int main(void)
{
    pthread_t t;
    volatile int *x = malloc(4 * sizeof *x);
    *x = 0;
    sem_init(&begun, 0, 0);
    pthread_create(&t, NULL, use, (void *)x);
#if RULE == 1
    sem_wait(&begun); /* the other thread then runs to its end, which is no order */
    *x = take();
    if (*x == 1)
        common = 2;
#elif RULE == 2
    seen = *x;
#elif RULE == 5
    sem_wait(&begun);
    *x = 1;
    seen = *x + x[2];
#else
    while (*x != 5)
        sched_yield();
    common = 2;
#endif
    pthread_join(t, NULL);
    return 0;
}
#endif
