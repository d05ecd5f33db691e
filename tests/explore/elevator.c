/* An elevator simulator. Lifts take calls from the hall and travel; the way they made is counted
 * under the lock of the shaft. A lift that takes a call while another one is under way, with more
 * calls waiting, goes as an express, and the express counts its way without the lock: the fault.
 * The lift that finds the house quiet reads the sum without the lock, which is right.
 *
 * When one lift after the other runs, the first serves all calls and no express ever goes. The last
 * access to the sum is no help in the search, because no call is left then: an earlier one is. */
#include "common.h"

enum { CALLS = 3 };

static pthread_mutex_t hall = PTHREAD_MUTEX_INITIALIZER, shaft = PTHREAD_MUTEX_INITIALIZER;
static int calls[CALLS] = {4, 1, 3}, n_calls = CALLS, moving, way, shown[MAX_WORKERS];

static void count_way(int floors, int express)
{
#ifdef FIXED
    express = 0;
#endif
    if (express) {
        way += floors;
        return;
    }
    pthread_mutex_lock(&shaft);
    way += floors;
    pthread_mutex_unlock(&shaft);
}

static void *lift(void *arg)
{
    int me = (int)(long)arg, at = 0;
    for (;;) {
        pthread_mutex_lock(&hall);
        int others = moving, waiting = n_calls;
        int to = waiting > 0 ? calls[--n_calls] : 0;
        moving += waiting > 0;
        pthread_mutex_unlock(&hall);
        if (waiting == 0) {
            if (others == 0)
                shown[me] = way;
            return NULL;
        }
        count_way(to > at ? to - at : at - to, others > 0 && waiting > 1);
        at = to;
        pthread_mutex_lock(&hall);
        moving--;
        pthread_mutex_unlock(&hall);
    }
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(lift);
    printf("%d floors, shown as %d\n", way, total(shown));
    return 0;
}
