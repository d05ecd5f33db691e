/* A parallel sort. Each worker sorts its part of the array; of two neighbours the one that is ready
 * later merges the two parts, which needs no lock. Who is ready first and sees that its neighbour
 * is at work looks whether the two parts meet in order already, and that look is the fault: the
 * neighbour may be writing there.
 *
 * When one worker after the other runs, nobody ever sees a neighbour at work. */
#include "common.h"

enum { PART = 3 };
enum state { IDLE, AT_WORK, READY };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum state state[MAX_WORKERS];
static int numbers[MAX_WORKERS * PART] = {9,  4,  7,  3,  8,  1,  6,  2,  5,  12, 11, 10,
                                          21, 16, 19, 15, 20, 13, 18, 14, 17, 24, 23, 22};
static int in_order[MAX_WORKERS], merged;

static enum state change(int me, enum state to, int other)
{
    pthread_mutex_lock(&lock);
    state[me] = to;
    enum state theirs = state[other];
    pthread_mutex_unlock(&lock);
    return theirs;
}

static void sort_range(int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            int x = a[j];
            a[j] = a[j - 1];
            a[j - 1] = x;
        }
}

static void *work(void *arg)
{
    int me = (int)(long)arg, other = me ^ 1;
    int *mine = numbers + me * PART, *both = numbers + (me & ~1) * PART;
    change(me, AT_WORK, other);
    sort_range(mine, PART);
    if (other >= workers)
        return NULL;
    enum state theirs = change(me, READY, other);
    if (theirs == READY) {
        sort_range(both, 2 * PART);
        pthread_mutex_lock(&lock);
        merged++;
        pthread_mutex_unlock(&lock);
    }
#ifndef FIXED
    else if (theirs == AT_WORK)
        in_order[me] = both[PART - 1] <= both[PART];
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(work);
    printf("%d merged, %d in order before\n", merged, total(in_order));
    return 0;
}
