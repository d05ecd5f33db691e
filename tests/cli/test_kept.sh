#!/usr/bin/env bash
# Ctrl-C while heddle run reads, analyses and replays: what is known by then is kept, the recording is whole and can be analysed
# again, and nothing half-written stays. The progress of each stage does not go back, and says how much time is left.
. "$TESTS/cli/lib.sh" || exit 1
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 77
cat >slow.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds = 20000;
static int cells[64], own_cells[4][64];
long sum;
static void *work(void *arg)
{
    int *own = own_cells[(long)arg];
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        cells[i & 63]++;
        pthread_mutex_unlock(&lock);
        for (int k = 0; k < 20; k++)
            own[k * 3] += (int)i;
        if (i % 1000 == 0)
            sum++;
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    if (argc > 1)
        rounds = atol(argv[1]);
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread slow.c -o slow || exit 1

holds() { # holds CONDITION, of the report
    jq -e "$1" o/report.json >seen 2>&1
}
whole() {
    "$HEDDLE" trace check -q o/run.hdr >seen 2>&1
}

# A shell starts what is in the background with SIGINT ignored, hence env.
# interrupt MARK: Ctrl-C when the log for developers has this text. On a loaded machine the signal may come too late: again then.
interrupt() {
    for _ in 1 2 3 4; do
        rm -rf o err
        HD_LOG=build:debug,predict:debug,session:debug,replay:debug env --default-signal=INT "$HEDDLE" run -q --runs 2 -o o -- ./slow >out 2>err &
        pid=$!
        until grep -q "$1" err 2>/dev/null || ! kill -0 "$pid" 2>/dev/null; do
            sleep 0.01
        done
        kill -INT "$pid" 2>/dev/null
        code=0
        wait "$pid" 2>/dev/null || code=$?
        [ "$code" -ne 130 ] || break
    done
    command_line="Ctrl-C at: $1"
    expect_code 130
    expect_err "interrupted by SIGINT"
    expect "report.json" holds .interrupted
    expect "other files" test -z "$(find o -mindepth 1 -printf '%f\n' | grep -vxE 'report\.(json|txt|html)|run(-2)?\.hdr|witness-R-[0-9a-f]+\.json')"
    expect "the recording" whole
}

interrupt 'walk 1 (mark)'
expect "a finding" holds '.races | length == 0'
"$HEDDLE" analyze -q o/run.hdr >analyzed 2>&1
expect "what is left is not found later" grep -q 'Race on sum' analyzed
interrupt 'walk 2 (build)'
interrupt 'witness of'
expect "the finding is not kept" holds '.races | length == 1'
interrupt 'replayed in'
expect "it is not kept as confirmed" holds '.races[0].status == "confirmed"'
interrupt 'run 2: sync'
expect "it is not kept as confirmed" holds '.races[0].status == "confirmed"'

# Each line that the terminal shows: "label percent". A stage begins anew where the label changes.
command_line="progress on a terminal"
for rounds in 20000 80000 320000; do # until reading takes long enough on this machine
    rm -rf o
    TERM=xterm script -qefc "\"$HEDDLE\" run --runs 1 -t 1 -o o -- ./slow $rounds" typescript >/dev/null 2>&1 </dev/null
    tr '\r' '\n' <typescript | sed 's/\x1b\[K//g' | grep -E '^heddle: (reading|analysing|replaying): ' >lines
    ! grep -qE '^heddle: reading: .* \([0-9]+%\), .* s left' lines || break
done
expect "no reading is shown" grep -qE '^heddle: reading: .* \([0-9]+%\), .* s left' lines
expect "no replaying is shown" grep -q '^heddle: replaying: ' lines
expect "progress goes back: $(cat lines)" awk '
    match($0, /\([0-9]+%\)/) { share = substr($0, RSTART + 1, RLENGTH - 3) + 0
        if ($2 == label && share < last) exit 1
        last = share }
    { if ($2 != label) { last = 0; units = 0 } else if ($3 + 0 < units) exit 1
      label = $2; units = $3 + 0 }' lines
finish
