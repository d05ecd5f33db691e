/* Rows of an image are computed by two workers; each adds to one checksum, one of them at the end
 * without the lock. 2 threads besides main. */
#include <pthread.h>
enum { SIZE = 24, WORKERS = 2 };
static double image[SIZE][SIZE];
static long checksum, rows_done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double trace_ray(int x, int y)
{
    double best = 1e9;
    for (int s = 0; s < 3; s++) {
        double dx = x - 8.0 * s, dy = y - 6.0 * s, d = dx * dx + dy * dy;
        if (d < best)
            best = d;
    }
    return best;
}
static void *worker(void *p)
{
    long me = (long)p, sum = 0;
    for (int y = (int)me; y < SIZE; y += WORKERS) {
        for (int x = 0; x < SIZE; x++) {
            image[y][x] = trace_ray(x, y);
            sum += (long)image[y][x];
        }
        pthread_mutex_lock(&lock);
        rows_done++;
        pthread_mutex_unlock(&lock);
    }
    checksum += sum;
    return p;
}
int main(void)
{
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], 0);
    return checksum < 0 || rows_done != SIZE;
}
