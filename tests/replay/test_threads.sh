#!/usr/bin/env bash
# The number of threads in the life of a run has no limit, and what they leave behind in the runtime is small; the
# number at once has one, which the program is told.
. "$TESTS/replay/lib.sh" || exit 1
start threads
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/threads.c" -o threads || fail "heddle cc"
for policy in fifo random pct; do
    "$HEDDLE" record -q --policy $policy -o now.hdt -- ./threads 5000 4997 >out 2>err </dev/null || fail "$policy: $(cat err)"
    [ "$(cat out)" = "0 failed" ] || fail "$policy: $(cat out)"
done
"$HEDDLE" record -q -o now.hdt -- ./threads 6000 5997 >out 2>err </dev/null || fail "fifo: $(cat err)"
"$HEDDLE" analyze now.hdt --witness-dir w >analysis 2>&1
[ $? -eq 66 ] || fail "no race: $(cat analysis)"
for w in w/*.json; do
    timeout -k 5 100 "$HEDDLE" replay "$w" --times 1 >out 2>&1 </dev/null
    [ $? -eq 66 ] || fail "not confirmed: $(cat out)"
done

# Memory by live threads: many more take little more.
memory() {
    "$HEDDLE" record -q -o now.hdt -- ./threads "$1" "$1" >out 2>err </dev/null || fail "$1: $(cat err)"
    awk '$1 == "RssAnon:" { print $2 }' err
}
count=40000
[ -z "${HEDDLE_TEST_LONG:-}" ] || count=100000
few=$(memory 6000) many=$(memory $count)
[ -n "$few" ] && [ "$many" -lt $((few + 2000)) ] || fail "$few kB for 6000 threads, $many for $count"

"$HEDDLE" record -q -o now.hdt -- ./threads 4000 >out 2>err </dev/null || fail "4000 at once: $(cat err)"
[ "$(cat out)" = "4000 threads, all" ] || fail "4000 at once: $(cat out)"
"$HEDDLE" record -q -o now.hdt -- ./threads 5000 >out 2>err </dev/null
[ "$(cat out)" = "4095 threads, no more" ] || fail "5000 at once: $(cat out)"
grep -q "more than 4095 threads at once" err || fail "5000 at once: nothing said: $(cat err)"

# Those that can end make room for new ones, though nobody waits for them.
for policy in fifo random; do
    "$HEDDLE" record -q --policy $policy -o now.hdt -- ./threads 4600 4590 alone >out 2>err </dev/null || fail "alone, $policy: $(cat err)"
    [ "$(cat out)" = "0 failed" ] || fail "alone, $policy: $(cat out)"
done
([ -n "${HEDDLE_TEST_SANITIZED:-}" ] || ulimit -v 8000000; exec "$HEDDLE" run -o alone.out --runs 1 -- ./threads 4600 4590 alone) >out 2>err </dev/null
[ $? -eq 66 ] || fail "alone: $(cat err)"
grep -q 'racy \[confirmed' err || fail "alone: not confirmed: $(cat err)"
exit 0
