#!/usr/bin/env bash
# heddle explore: usage, programs that cannot be searched, searches that cannot go on.
. "$TESTS/cli/lib.sh" || exit 1
heddle explore
expect_usage "name the program"
heddle explore --budget soon -- /bin/true
expect_usage "--budget wants a time"
heddle explore --strategy guess -- /bin/true
expect_code 2
heddle explore --aim high -- /bin/true
expect_code 2
heddle explore --strategy dpor --property race,atomicity -- /bin/true
expect_usage "does not look for atomicity violations"
heddle explore -r report.unknown -- /bin/true
expect_usage "no format has the ending"
for strategy in guided dpor pct random; do
    heddle explore --strategy $strategy -o new -- ./not-there
    expect_code 3
    expect_err "not-there"
    heddle explore --strategy $strategy -o true -- /bin/true
    expect_code 3
    expect_err "not instrumented"
done
mkdir full
touch full/file
heddle explore -o full -- /bin/true
expect_code 3
expect_err "not an empty folder"
heddle explore --resume
expect_code 3
expect_err "no search to go on with"
heddle explore --resume -o full
expect_code 3
expect_err "no search to go on with"
echo '{"schema": "heddle-explore-1"}' >full/explore.json
heddle explore --resume -o full
expect_code 3
expect_err "not the state of a search"
cat >full/explore.json <<'EOF'
{"schema": "heddle-explore-1", "strategy": "pct", "seed": 1, "executions": 0, "milliseconds": 0, "peak_kilobytes": 0, "complete": false,
 "done": 0, "length": 0, "program": ["./prog"], "seen": [], "settled": []}
EOF
heddle explore --resume -o full -- ./other
expect_usage "is about another program"
heddle explore --resume --strategy random -o full
expect_usage "has strategy pct"
heddle explore --resume -o full
expect_code 3
expect_err "report.json"

# What a run did is observed, also when it is not replayed.
cat >asserts.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    pthread_mutex_lock(&m);
    int y = x;
    pthread_mutex_unlock(&m);
    assert(y == 0);
    return pthread_join(t, 0);
}
EOF
for strategy in dpor random; do
    heddle explore --strategy $strategy -t 0 --json=$strategy.json asserts.c
    expect_code 66
    expect "an observed failure with its text by $strategy" jq -e '.races | any(.property == "failure" and
        .status == "observed" and (.effects.first | test("Assertion `y == 0. failed")) and
        .outcomes.first.signal_name == "SIGABRT")' $strategy.json >/dev/null
done
finish
