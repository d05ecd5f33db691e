#!/usr/bin/env bash
# Everything obeys the budget, signals and the memory there is: reading, finding candidates, the must-order.
. "$TESTS/cli/lib.sh" || exit 1

# Reading is cut where half of the time is over, and the rest of the trace is not taken for free of races.
heddle trace gen --seed 5 --events 400000 --threads 4 -o long.trace
expect_code 0
started=$(date +%s)
heddle analyze --budget 300ms long.trace
expect "exit code $code, expected 5 or 66" test "$code" = 5 -o "$code" = 66
most=20
[ -z "${HEDDLE_TEST_SANITIZED:-}" ] || most=90 # what is done at any budget takes four times as long then
expect "a budget of 300 ms took more than $most s" test $(($(date +%s) - started)) -le $most

# So little memory that only a beginning can be read: a sentence, and no "nothing found". A sanitizer reserves more
# than that by itself.
if [ -z "${HEDDLE_TEST_SANITIZED:-}" ]; then
    (ulimit -v 70000 && exec "$HEDDLE" analyze --budget 3s long.trace) >out 2>err
    code=$?
    expect "exit code $code with little memory, expected 4, 5 or 66" test "$code" = 4 -o "$code" = 5 -o "$code" = 66
    expect "no word about memory" grep -q memory err out
fi

# A report of a trace advises what can be done with a trace, and nothing where all is decided.
heddle trace gen --style program --events 300000 --threads 8 -o advice.trace
heddle analyze --budget 1ms -o cut.out advice.trace
expect_code 5
expect_err "Next: heddle analyze --budget 30m advice.trace"
heddle trace gen --style program --events 300000 --threads 8 -o whole.hdt
head -c $(($(wc -c <whole.hdt) * 2 / 3)) whole.hdt >part.hdt
heddle analyze -o part.out part.hdt
expect_code 5
expect_err "a trace is incomplete"
expect "a longer analysis was advised for a file that is cut short" sh -c '! grep -q Next: out err'
heddle trace gen --style program --events 1000 --threads 8 -o advice.trace
heddle analyze -o advice.out advice.trace
expect_code 0
expect "advice for a trace that is decided" sh -c '! grep -q Next: out err'

# The option takes none, and refuses what is no time.
printf 't1|w(x,1)|a.c:1\nt2|w(x,2)|b.c:1\n' >two.trace
heddle analyze --budget none two.trace
expect_code 66
heddle analyze --budget soon two.trace
expect_code 2
expect_err "--budget wants a time like 10s or 5m, or none, not 'soon'"

# A variable that is set once and then read under many locks: its readers are not compared with each other.
awk 'BEGIN {
    print "!control branches"
    print "t0|w(m,1)|a.c:1"; print "t0|fork(t1)|a.c:2"; print "t0|fork(t2)|a.c:3"
    for (t = 1; t <= 2; t++)
        for (i = 0; i < 60000; i++) {
            printf "t%d|acq(l%d_%d)|a.c:4\n", t, t, i
            printf "t%d|r(m,1)|a.c:5\n", t
            printf "t%d|rel(l%d_%d)|a.c:6\n", t, t, i
        }
}' >readers.trace
heddle analyze --budget 60s readers.trace
expect_code 0
expect_out "0 undecided"

# 20,000 locks held at once, given back in the order in which they were taken, or in the opposite one: what an event
# holds is not compared as a whole for each of them, nor are all of them taken for one another's order.
for order in same opposite; do
    awk -v order=$order 'BEGIN {
        n = 20000
        print "t0|fork(t1)|a.c:1"; print "t0|fork(t2)|a.c:2"
        for (t = 1; t <= 2; t++) {
            for (i = 0; i < n; i++) printf "t%d|acq(l%d)|a.c:3\n", t, i
            printf "t%d|w(x)|a.c:4\n", t
            for (i = 0; i < n; i++) printf "t%d|rel(l%d)|a.c:5\n", t, order == "same" ? i : n - 1 - i
            printf "t%d|w(y)|a.c:6\n", t
        }
    }' >nested.trace
    heddle analyze --budget 20s --property race,deadlock,atomicity nested.trace
    expect_code 66
    expect_out "1 race"
    expect_out "0 deadlocks"
    expect_out "0 undecided"
done

# cpu_ms PID: the processor time of a process so far; nothing when it has ended.
cpu_ms() {
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) * 1000 / hz) }' "/proc/$1/stat" 2>/dev/null
}

# answers AT LIMIT ARGUMENT...: SIGTERM after AT ms of processor time is answered within LIMIT ms of it.
answers() {
    local at=0 now last=0
    "$HEDDLE" analyze "${@:3}" >out 2>err &
    pid=$!
    while now=$(cpu_ms "$pid") && [ -n "$now" ] && [ "$now" -lt "$1" ]; do sleep 0.01; done
    at=${now:-0}
    kill -TERM "$pid" 2>/dev/null
    while now=$(cpu_ms "$pid") && [ -n "$now" ]; do last=$now && sleep 0.01; done
    wait "$pid"
    expect "SIGTERM at $at ms of processor time took $((last - at)) ms more" test "$((last - at))" -le "$2"
}

# SIGTERM is answered at any time: while reading, while the cheap steps go over 500,000 pairs of places, and while what
# they found is put in order. (A second, and what a busy machine adds; a sanitizer takes several times as long.)
limit=$([ -z "${HEDDLE_TEST_SANITIZED:-}" ] && echo 1500 || echo 15000)
for at in 100 600; do
    answers $at "$limit" --pairs long.trace
done
awk -v family=hot -v n=100000 -v threads=8 -v places=1000 -v lock=0 -v seed=1 -f "$TESTS/../bench/hard/make.awk" >hot.trace
for at in 200 1000 2000 3000; do
    answers $at "$limit" -j 1 hot.trace
done

# Reading and analysis together obey the budget when the trace is long: its first million events are looked at (fewer on
# a machine that reads slowly), and the rest is not taken for free of races. A variable of 8 threads and 100 places, two
# million accesses; then one that is always used under a lock.
long() {
    awk -v family=hot -v n="$1" -v threads=8 -v places=100 -v lock="$2" -v seed=1 -f "$TESTS/../bench/hard/make.awk" >long.txt
    cpu=$({
        TIMEFORMAT='%U %S'
        time "$HEDDLE" analyze -q -j 1 --budget 1s long.txt >out 2>err
        echo $? >code
    } 2>&1 | awk '{ print int(($1 + $2) * 1000) }')
    code=$(cat code)
    command_line="analyze --budget 1s of $1 accesses"
    expect "a budget of 1 s took $cpu ms of processor time" test "$cpu" -le $((limit * 4))
}
long 2000000 0
expect_code 66
expect "which events were looked at is not told" grep -qE "only the first (1048576 events were looked at|[0-9]+ events are analysed)" out err
long 400000 1
expect_code 5
expect_out "0 races"
expect "no word about the time" grep -q "time budget" out err

# A program that never ends: everything ends in about the time given, and its race is found.
cat >spin.c <<'END'
#include <pthread.h>
static volatile int stop;
static int g;
static void *spin(void *p)
{
    g++;
    while (!stop) {
    }
    return p;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, spin, NULL);
    g++;
    pthread_join(a, NULL);
    return 0;
}
END
heddle cc -g -O1 -pthread spin.c -o spin
expect_code 0
started=$(date +%s)
heddle run --budget 2s -- ./spin
expect_code 66
expect_err "data race"
expect "a run of 2 s took more than 15 s" test $(($(date +%s) - started)) -le 15
# Of its recordings as much is read as the time allows, and not twice the same: that is no reason to crash.
for try in 1 2 3; do
    started=$(date +%s)
    heddle explore --budget 1500ms --timeout 1 -- ./spin
    expect "explore, try $try, exit $code" test "$code" = 66 -o "$code" = 5
    expect "explore of 1.5 s took more than 15 s" test $(($(date +%s) - started)) -le 15
done

# Nothing found, but not all looked at: the formats for CI say so too, as an error unless it was allowed.
sed 's/^static volatile int stop;/#include <stdatomic.h>\nstatic atomic_int stop, g;/; /^static int g;/d' spin.c >calm.c
heddle cc -g -O1 -pthread calm.c -o calm
expect_code 0
heddle run --budget 2s -o calm.out -- ./calm
expect "a run that was cut says that all is well" test "$code" != 0
heddle report --format github calm.out
expect_out "::error title=Heddle%3A not all decided::"
heddle report --format junit calm.out
expect_out 'name="everything is decided"'
expect_out '<error message="nothing was found, but'
heddle run --budget 2s --allow-undecided -o allowed.out -- ./calm
heddle report --format github allowed.out
expect_out "::warning title=Heddle%3A not all decided::"
heddle report --format junit allowed.out
expect_out '<skipped message="nothing was found, but'

# Detectors that are not linear obey as well; what they found stands.
heddle trace gen -e 100000 -t 8 -l 6 -x 1000 -s 3 -o many.trace
heddle analyze -q --detector ucg --budget 400ms many.trace
expect_code 5
expect_out "ucg was stopped before its end: there may be more"
finish
