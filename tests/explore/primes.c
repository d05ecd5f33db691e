/* A prime finder. Workers take candidates one by one; the largest prime so far is kept under the
 * lock of the list. Who finds nothing left to do looks at it once more: the last one may do so
 * without the lock, since all others have finished. The faulty program lets everybody do it.
 *
 * When one worker after the other runs, all but the first find everybody before them finished: the
 * recorded path to each look passes through the finish of whoever wrote. Another order takes other
 * values through the same branch. */
#include "common.h"

enum { LIMIT = 12 };

static pthread_mutex_t take = PTHREAD_MUTEX_INITIALIZER, list = PTHREAD_MUTEX_INITIALIZER;
static int next_number = 2, finished;
static int primes[LIMIT], n_primes, largest;
static int seen[MAX_WORKERS];

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

static int take_number(void)
{
    pthread_mutex_lock(&take);
    int n = next_number < LIMIT ? next_number++ : 0;
    pthread_mutex_unlock(&take);
    return n;
}

static void *work(void *arg)
{
    int me = (int)(long)arg, n;
    while ((n = take_number()) != 0)
        if (is_prime(n)) {
            pthread_mutex_lock(&list);
            primes[n_primes++] = n;
            if (n > largest)
                largest = n;
            pthread_mutex_unlock(&list);
        }
    pthread_mutex_lock(&take);
    int before = finished++;
    pthread_mutex_unlock(&take);
#ifdef FIXED
    if (before == workers - 1)
        seen[me] = largest;
#else
    if (before >= me) /* meant: everybody who started before me is through */
        seen[me] = largest;
    else
        seen[me] = -largest; /* a first guess */
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(work);
    printf("%d primes, the largest is %d, seen as %d\n", n_primes, largest, total(seen));
    return 0;
}
