#!/usr/bin/env bash
# 30,000 threads (in the long run 100,000) are analysed: a clock has an entry for each chain of threads that follow each
# other, not for each thread.
. "$TESTS/replay/lib.sh" || exit 1
start chains
count=30000
[ -z "${HEDDLE_TEST_LONG:-}" ] || count=100000
cat >joined.c <<'END'
#include <pthread.h>
static long racy;
static void *work(void *arg)
{
    if ((long)arg >= N - 4)
        racy++;
    return arg;
}
int main(void)
{
    for (long i = 0; i < N; i += 2) {
        pthread_t a, b;
        if (pthread_create(&a, NULL, work, (void *)i) || pthread_create(&b, NULL, work, (void *)(i + 1)))
            return 1;
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    return racy == 0;
}
END
# A sanitized build has its shadow memory above every limit.
bound() {
    [ -n "${HEDDLE_TEST_SANITIZED:-}" ] || ulimit -v 8000000
}
"$HEDDLE" cc -g -O1 -pthread -DN=$count joined.c -o joined || fail "heddle cc"
"$HEDDLE" record -q -o now.hdt -- ./joined >out 2>err </dev/null || fail "$count: $(cat err)"
(bound && exec "$HEDDLE" analyze now.hdt --property race,deadlock >analysis 2>&1)
[ $? -eq 66 ] || fail "no race in $count threads: $(tail -3 analysis)"
grep -q " 0 undecided" analysis || fail "undecided: $(tail -3 analysis)"
# Threads that nobody joins have clocks of their own: what memory does not allow is undecided, no failure. Reading
# them takes little.
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/threads.c" -o threads || fail "heddle cc"
"$HEDDLE" record -q -o now.hdt -- ./threads 100000 99997 >out 2>err </dev/null || fail "100000: $(cat err)"
[ -z "${HEDDLE_TEST_SANITIZED:-}" ] || exit 0 # their shadow memory is no memory of ours
(bound && exec "$HEDDLE" analyze now.hdt >analysis 2>&1)
code=$?
[ $code -eq 5 ] || fail "exit $code for 33333 threads that nobody joins: $(tail -3 analysis)"
grep -q "not enough memory" analysis || fail "no reason: $(tail -3 analysis)"
grep -q "only the first" analysis && fail "not read whole: $(tail -3 analysis)"
exit 0
