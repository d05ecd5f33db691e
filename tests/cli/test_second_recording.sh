#!/usr/bin/env bash
# heddle run records a second time, although that takes long, when a thread had no work in the first recording.
. "$TESTS/cli/lib.sh" || exit 1
[ -z "${HEDDLE_TEST_SANITIZED:-}" ] || finish # it goes by processor time
cat >pool.c <<'C'
/* A pool of WORKERS. Under fifo the first one does all jobs, so nothing of a second one is in the
 * first recording; they count their jobs without a lock. Others do jobs, too, so that an analysis
 * takes far longer than a recording; each as few that it does not use up its turn. */
#include <pthread.h>

enum { JOBS = 4, OTHERS = 2, STEPS = 50000, CELLS = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int jobs = JOBS, done;
static volatile unsigned cells[CELLS];

static void job(void)
{
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < STEPS; i++)
        cells[i * 2654435761u % CELLS] += cells[(i + 7) % CELLS] ^ i;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int mine = jobs > 0 ? jobs-- : 0;
        pthread_mutex_unlock(&mutex);
        if (!mine)
            return arg;
        job();
        done++;
    }
}

static void *other(void *arg)
{
    for (int i = 0; i < JOBS; i++)
        job();
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS], o[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&o[i], NULL, other, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    job();
    job();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(o[i], NULL);
    return done < 0;
}
C
heddle cc -g -O1 -pthread -DWORKERS=2 pool.c -o two
heddle cc -g -O1 -pthread -DWORKERS=1 pool.c -o one
heddle run -q -t 1 -o two.out -- ./two
expect_code 66
expect "not found by the second recording" jq -e '.races | length == 1 and .[0].variable == "done" and .[0].shown_by == "sync"' two.out/report.json
heddle run -q -o one.out -- ./one
expect_code 0
expect "recorded again" jq -e '.notes | any(startswith("recorded once: more would take too long"))' one.out/report.json
finish
