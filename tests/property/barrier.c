/* Threads that work in phases, with a barrier made of a lock and a condition between them; each
 * phase reads what the neighbour wrote in the one before. Without the barrier (-DOPEN) the cells
 * race. */
// expect: race=- atomicity=- deadlock=-
// expect -DOPEN: race=cells atomicity=- deadlock=-
#include <pthread.h>
#include <stdio.h>

enum { N = 3, PHASES = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived, phase;
static int cells[2][N];

static void barrier(void)
{
#ifndef OPEN
    pthread_mutex_lock(&lock);
    int mine = phase;
    if (++arrived == N) {
        arrived = 0;
        phase++;
        pthread_cond_broadcast(&all_here);
    }
    while (phase == mine)
        pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
#endif
}

static void *worker(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < PHASES; i++) {
        cells[(i + 1) % 2][me] = cells[i % 2][(me + 1) % N] + 1;
        barrier();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int numbers[N];
    (void)lock;
    (void)all_here;
    (void)arrived;
    (void)phase;
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", cells[0][0] > 0);
    return 0;
}
