/* Threads meet at a barrier that is made of a counter and a generation, in two ways (-DKIND), and
 * read what their neighbours have written. Race free; with -DFAULT they do not wait after reading.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 10
#endif
enum { THREADS = 4 };

static int data[THREADS], out[THREADS];

#if KIND == 0 /* mutex and condition */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count, generation;
static void meet(void)
{
    pthread_mutex_lock(&m);
    int mine = generation;
    if (++count == THREADS) {
        count = 0;
        generation++;
        pthread_cond_broadcast(&c);
    } else {
        while (mine == generation)
            pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
}
#else /* atomics */
static atomic_int count, generation;
static void meet(void)
{
    int mine = generation;
    if (atomic_fetch_add(&count, 1) == THREADS - 1) {
        count = 0;
        generation = mine + 1;
    } else {
        while (generation == mine)
            sched_yield();
    }
}
#endif

static void *work(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        data[id] += i + id;
        meet();
        out[id] += data[(id + 1) % THREADS];
#ifndef FAULT
        meet();
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int sum = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        sum += out[i];
    printf("%d\n", sum);
    return 0;
}
