#!/usr/bin/env bash
# The number of threads in the life of a run has no limit, and what they leave behind in the runtime is small; the
# number at once has one, which the program is told.
. "$TESTS/replay/lib.sh"
start threads
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/threads.c" -o threads || fail "heddle cc"
for policy in fifo random pct; do
    "$HEDDLE" record -q --policy $policy -o now.hdt -- ./threads 9000 8997 >out 2>err </dev/null || fail "$policy: $(cat err)"
    [ "$(cat out)" = "0 failed" ] || fail "$policy: $(cat out)"
done
"$HEDDLE" record -q -o now.hdt -- ./threads 6000 5997 >out 2>err </dev/null || fail "fifo: $(cat err)"
"$HEDDLE" analyze now.hdt --witness-dir w >analysis 2>&1
[ $? -eq 66 ] || fail "no race: $(cat analysis)"
for w in w/*.json; do
    timeout -k 5 100 "$HEDDLE" replay "$w" --times 1 >out 2>&1 </dev/null
    [ $? -eq 66 ] || fail "not confirmed: $(cat out)"
done

# Memory by live threads: many more take little more. How much of the log waits in memory is chance: the least of three.
most() {
    for _ in 1 2 3; do
        /usr/bin/time -f %M -o most "$HEDDLE" record -q -o now.hdt -- ./threads "$1" "$1" >out 2>err </dev/null || fail "$1: $(cat err)"
        cat most
    done | sort -n | head -1
}
if [ -x /usr/bin/time ]; then
    few=$(most 6000) many=$(most 100000)
    [ "$many" -lt $((few + 20000)) ] || fail "$few kB for 6000 threads, $many for 100000"
fi

"$HEDDLE" record -q -o now.hdt -- ./threads 4000 >out 2>err </dev/null || fail "4000 at once: $(cat err)"
[ "$(cat out)" = "4000 threads, all" ] || fail "4000 at once: $(cat out)"
"$HEDDLE" record -q -o now.hdt -- ./threads 5000 >out 2>err </dev/null
[ "$(cat out)" = "4095 threads, no more" ] || fail "5000 at once: $(cat out)"
grep -q "more than 4095 threads at once" err || fail "5000 at once: nothing said: $(cat err)"
exit 0
