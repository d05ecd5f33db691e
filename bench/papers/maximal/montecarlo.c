/* Points in a square by two workers with generators of their own, results under a lock: no race. 2
 * threads besides main. */
#include <pthread.h>
enum { POINTS = 3000, WORKERS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long inside, tasks;
static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}
static void *worker(void *p)
{
    unsigned state = 7u + (unsigned)(long)p;
    long hits = 0;
    for (int i = 0; i < POINTS; i++) {
        long x = next_random(&state) & 1023, y = next_random(&state) & 1023;
        hits += x * x + y * y < 1024 * 1024;
        if (i % 100 == 99) {
            pthread_mutex_lock(&lock);
            inside += hits;
            tasks++;
            pthread_mutex_unlock(&lock);
            hits = 0;
        }
    }
    return p;
}
int main(void)
{
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], 0);
    return inside <= 0 || tasks != WORKERS * POINTS / 100;
}
