/* A shared database. A worker changes a record, then asks for it by the index, which is guarded by
 * a lock of its own. The number of changes that the index has not seen is kept; who asks when as
 * many changes are open as there are workers rebuilds the index, and forgets the lock: the fault.
 *
 * When one worker after the other runs, at most one change is open. For a race one worker has to be
 * inside the index while each of the others changed something and none of them has asked yet, so
 * with w workers w - 2 of them are stopped in between. */
#include "common.h"

enum { RECORDS = MAX_WORKERS };

static pthread_mutex_t data = PTHREAD_MUTEX_INITIALIZER, open_changes = PTHREAD_MUTEX_INITIALIZER,
                       use_index = PTHREAD_MUTEX_INITIALIZER;
static int record[RECORDS] = {10, 11, 12, 13, 14, 15, 16, 17}, n_open, place_of[RECORDS],
           found[MAX_WORKERS];

static void change(int who, int value)
{
    pthread_mutex_lock(&data);
    record[who] = value;
    pthread_mutex_unlock(&data);
    pthread_mutex_lock(&open_changes);
    n_open++;
    pthread_mutex_unlock(&open_changes);
}

static int ask(int who)
{
    pthread_mutex_lock(&open_changes);
    int seen = n_open;
    pthread_mutex_unlock(&open_changes);
    if (seen >= workers) {
#ifdef FIXED
        pthread_mutex_lock(&use_index);
#endif
        for (int i = 0; i < RECORDS; i++)
            place_of[i] = RECORDS - 1 - i;
#ifdef FIXED
        pthread_mutex_unlock(&use_index);
#endif
    }
    pthread_mutex_lock(&use_index);
    int place = place_of[who];
    pthread_mutex_unlock(&use_index);
    pthread_mutex_lock(&open_changes);
    n_open -= n_open < seen ? n_open : seen;
    pthread_mutex_unlock(&open_changes);
    return place;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    change(me, 20 + me);
    found[me] = ask(me);
    return NULL;
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(work);
    for (int i = 0; i < RECORDS; i++)
        place_of[i] = 0;
    printf("%d open, places %d, records %d\n", n_open, total(found), total(record));
    return 0;
}
