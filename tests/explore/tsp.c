/* A travelling-salesman solver, with one-way roads. Workers take the first leg of a tour and try
 * all ways on; the length of the best tour is guarded everywhere but in one place: who finds a tour
 * shorter than the bound that it knew, and then learns under the lock that somebody was better
 * meanwhile, takes the new bound without the lock.
 *
 * The tours are 30 and 26 long by the first leg, 25 and 20 by the second. When one worker after the
 * other runs, nobody is better meanwhile. For the race one worker has to offer 30, another one 25,
 * then the first one 26, which loses, and then the other one 20. No worker may stay where it is all
 * the time, so parking one does not help. */
#include "common.h"

enum { TOWNS = 4 };

static const int way[TOWNS][TOWNS] = {{0, 8, 4, 30}, {5, 0, 9, 5}, {5, 10, 0, 7}, {6, 4, 8, 0}};
static pthread_mutex_t take = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static int next_leg = 1, best = 1000;

static int get_bound(void)
{
    pthread_mutex_lock(&guard);
    int b = best;
    pthread_mutex_unlock(&guard);
    return b;
}

/* The bound to go on with. */
static int offer(int length)
{
    pthread_mutex_lock(&guard);
    int lost = best <= length;
    if (!lost)
        best = length;
    pthread_mutex_unlock(&guard);
    if (!lost)
        return length;
#ifdef FIXED
    return get_bound();
#else
    return best;
#endif
}

static int try_all(int *tour, int n, int length, int bound)
{
    if (length >= bound)
        return bound;
    if (n == TOWNS) {
        length += way[tour[n - 1]][0];
        return length < bound ? offer(length) : bound;
    }
    for (int i = n; i < TOWNS; i++) {
        int town = tour[i];
        tour[i] = tour[n];
        tour[n] = town;
        bound = try_all(tour, n + 1, length + way[tour[n - 1]][town], bound);
        tour[n] = tour[i];
        tour[i] = town;
    }
    return bound;
}

static int take_leg(void)
{
    pthread_mutex_lock(&take);
    int leg = next_leg < TOWNS ? next_leg++ : 0;
    pthread_mutex_unlock(&take);
    return leg;
}

static void *work(void *arg)
{
    int leg;
    (void)arg;
    while ((leg = take_leg()) != 0) {
        int tour[TOWNS] = {0, 1, 2, 3};
        tour[1] = leg;
        tour[leg] = 1;
        try_all(tour, 2, way[0][leg], get_bound());
    }
    return NULL;
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(work);
    printf("the best tour is %d long\n", best);
    return 0;
}
