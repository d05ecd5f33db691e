#!/usr/bin/env bash
# SIGTERM to heddle run: at every stage it ends by that signal, within two seconds and more on a loaded machine, and
# says so. Above all where the program has ended, or ends at that moment, and its recording is written or read.
. "$TESTS/cli/lib.sh" || exit 1
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 77
cat >slow.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[64];
long sum;
static void *work(void *arg)
{
    for (long i = 0; i < 300000; i++) {
        pthread_mutex_lock(&lock);
        cells[i & 63]++;
        pthread_mutex_unlock(&lock);
        if (i % 1000 == 0)
            sum++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
program=slow$$
"$HEDDLE" cc -g -O1 -pthread slow.c -o $program || exit 1
for delay in 0 0.05 0.1 0.14 0.18 0.22 0.26 0.3 0.4 0.6; do
    command_line="SIGTERM after $delay s"
    rm -rf heddle-out
    "$HEDDLE" run -- ./$program >out 2>err &
    pid=$!
    until [ -d heddle-out/1 ]; do
        sleep 0.01
    done
    sleep "$delay"
    kill -TERM "$pid"
    started=$(date +%s%N)
    code=0
    wait "$pid" 2>/dev/null || code=$?
    took=$((($(date +%s%N) - started) / 1000000))
    expect_code 143
    expect_err "interrupted by SIGTERM"
    expect "it took $took ms" test "$took" -le 5000
    expect "something stays behind" test -z "$(pgrep -x $program)"
done

# A program that never ends: it was recording when the signal came, whatever came after.
cat >endless.c <<'END'
#include <pthread.h>
#include <unistd.h>
static int hits;
static void *work(void *arg)
{
    for (;;) {
        hits++;
        usleep(1000);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_join(t[0], NULL);
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread endless.c -o endless$$ || exit 1
command_line="SIGINT to an endless program"
rm -rf heddle-out
env --default-signal=INT "$HEDDLE" run -- ./endless$$ >out 2>err &
pid=$!
until [ -d heddle-out/1 ]; do
    sleep 0.01
done
sleep 1
kill -INT "$pid"
code=0
wait "$pid" 2>/dev/null || code=$?
expect_code 130
expect_err "interrupted by SIGINT while recording"
finish
