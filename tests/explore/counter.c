/* A pool of records that is tidied in passes. The number of passes is read under one lock and
 * written under another, so the two do not keep each other out. One recorded run is enough to see
 * it: this is the easy one, for which no search is needed. */
#include "common.h"

enum { RECORDS = 4 };

static pthread_mutex_t keys = PTHREAD_MUTEX_INITIALIZER, deletes = PTHREAD_MUTEX_INITIALIZER;
static int passes, size[RECORDS] = {3, 9, 1, 8}, deleted, packed;

static void *work(void *arg)
{
    pthread_mutex_lock(&keys);
    if (passes % 5 == 0)
        packed++;
    pthread_mutex_unlock(&keys);
    for (int i = (int)(long)arg; i < RECORDS; i += workers) {
        pthread_mutex_lock(&deletes);
        if (size[i] > 5) {
            size[i] = 0;
            deleted++;
        }
        pthread_mutex_unlock(&deletes);
    }
#ifdef FIXED
    pthread_mutex_lock(&keys);
#endif
    pthread_mutex_lock(&deletes);
    passes++;
    pthread_mutex_unlock(&deletes);
#ifdef FIXED
    pthread_mutex_unlock(&keys);
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    read_workers(argc, argv);
    run_workers(work);
    printf("%d deleted\n", deleted);
    return 0;
}
