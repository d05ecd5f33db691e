#!/usr/bin/env bash
# heddle explore without any option finds what no lockset warning points to.
. "$SOURCE/lib.sh" || exit 1
for p in trouble rare; do
    "$HEDDLE" cc -g -O0 "$SOURCE/$p.c" -o $p -pthread || exit 1
done

# Few schedules: all of them. Deadlocks are predicted already.
explore 66 out -t 1 -- ./rare twice
confirm out 1
says out "Assertion"
explore 66 out -t 1 -- ./rare lost
confirm out 1
says out "deadlock"
explore 0 out -t 1 -- ./rare none
says out "no warning led to a finding, so each schedule was run (dpor)"
says out "search: all [0-9]* schedules explored"

# More threads than can be steered: samples, and dpor says who takes them.
explore 66 out -t 1 -n 40 -- ./trouble crowd
says out "so samples were run (pct)"
says out "Assertion"
explore 0 out -t 1 -n 40 --strategy dpor -- ./trouble crowd
says out "not all: the program has more than 64 threads, which only pct and random take"

# One thread, nothing shared.
echo 'int main(void) { return 0; }' >alone.c
"$HEDDLE" cc -g alone.c -o alone || exit 1
explore 0 out -t 1 -- ./alone
says out "search: all 1 schedules explored"

# What is not ordered is said.
for k in clock file rand; do
    explore 0 out -t 1 --strategy dpor -n 50 -- ./rare $k
    says out "not all: threads use files, clocks or random numbers, whose order is not followed"
done
exit $failed
