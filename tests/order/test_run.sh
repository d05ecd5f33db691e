#!/usr/bin/env bash
# `heddle run` on programs with memory orders: found, confirmed, explained; twins are quiet; --sc gives
# the old reading; every format has words for it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/order/run
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL $*"
    exit 1
}
build() { "$HEDDLE" cc -g -I"$here" "$@" -pthread || fail "heddle cc $*"; }
build "$here/mp.c" -DSTORE=relaxed -DLOAD=relaxed -o racy
build "$here/mp.c" -DSTORE=release -DLOAD=acquire -o ok
build "$here/fenced.c" -DFIRST=release -DSECOND=acquire -o fenced
build "$here/plain.c" -o plain

# A Treiber stack: with release and acquire everything is decided and nothing reported; without one of them the nodes
# race, all of it is confirmed, and nothing is left undecided beside that. With optimisation clang moves a store behind
# the relaxed exchange, and then both accesses can come at the same time.
for level in -O0 -O1; do
    for orders in "" -DREL=memory_order_relaxed -DACQ=memory_order_relaxed; do
        build "$here/treiber.c" $level $orders -o treiber
        timeout 120 "$HEDDLE" run --times 1 --json=treiber.json -- ./treiber >out 2>err </dev/null
        status=$?
        [ $status -eq $([ -z "$orders" ] && echo 0 || echo 66) ] ||
            fail "treiber $level $orders: exit status $status: $(tail -3 err)"
        jq -e '.decided.undecided == 0' treiber.json >/dev/null ||
            fail "treiber $level $orders: undecided: $(grep Undecided err)"
        jq -e '[.races[].status] - ["confirmed"] == []' treiber.json >/dev/null ||
            fail "treiber $level $orders: not confirmed: $(head -5 err)"
        [ $level = -O1 ] || jq -e '[.races[].form] - ["unordered"] == []' treiber.json >/dev/null ||
            fail "treiber $level $orders: $(head -5 err)"
    done
done

# An update that releases and does not acquire: what it lacks is named, and so is the memory between the accesses.
build "$here/slots.c" -o slots
timeout 120 "$HEDDLE" run --times 1 -- ./slots >out 2>err </dev/null || fail "slots: $(tail -3 err)"
build "$here/slots.c" -DTAKE=memory_order_release -o slots
timeout 120 "$HEDDLE" run --times 1 --json=slots.json -- ./slots >out 2>err </dev/null
jq -e '.races[0] | .status == "confirmed" and (.why | startswith("only slots") and (contains("the update at ")) and
    (contains(" is release; memory_order_acq_rel at ")))' slots.json >/dev/null || fail "slots: $(jq -c '.races[].why' slots.json)"

timeout 120 "$HEDDLE" run -v --times 1 --json=racy.json --report racy.sarif --report racy.html -- ./racy >out 2>err </dev/null
status=$?
[ $status -eq 66 ] || fail "racy: exit status $status: $(tail -3 err)"
grep -q 'unordered race on data \[confirmed' err || fail "racy: not confirmed: $(head -5 err)"
tr -s ' \n' ' ' <err >flat
grep -q 'the store at [^ ]*mp.c:11 is relaxed; the load at [^ ]*mp.c:16 is relaxed; memory_order_release at [^ ]*mp.c:11 and memory_order_acquire at [^ ]*mp.c:16 would order them' flat ||
    fail "racy: not explained: $(grep -o 'Why it can happen.*' flat | head -c 400)"
grep -q '"form": *"unordered"' racy.json || fail "racy: the report has no form"
jq -e '[.races[0].schedule[] | select(.order == "rlx") | .essential] == [true, true]' racy.json >/dev/null ||
    fail "racy: the two operations that should order are not essential steps"
grep -q '"ruleId": *"unordered-race"' racy.sarif || fail "racy: SARIF has no rule"
grep -q 'Unordered race on' racy.html || fail "racy: HTML has no words"
grep -q '&quot;w&quot;:.*\[[0-9]*, *[0-9]*, *6\]' racy.html || fail "racy: HTML has no arrow for what does not order"
grep -q 'atomic write flag = 1 (relaxed)' flat || fail "racy: the schedule does not tell the order"
"$HEDDLE" replay --times 1 >replay.out 2>&1
grep -q '1 of 1 execution confirmed' replay.out || fail "racy: replay: $(tail -3 replay.out)"

for twin in ok fenced; do
    timeout 120 "$HEDDLE" run -v --times 1 -- ./$twin >out 2>err </dev/null
    [ $? -eq 0 ] || fail "$twin: not quiet: $(tail -5 err)"
done
for strategy in guided dpor random; do
    timeout 120 "$HEDDLE" explore --strategy $strategy --runs 30 --budget 10s -- ./racy >out 2>err </dev/null
    [ $? -eq 66 ] || fail "explore $strategy: not found: $(tail -3 err)"
    grep -q 'unordered race on data' err || fail "explore $strategy: not called unordered: $(head -5 err)"
done
timeout 120 "$HEDDLE" run -v --sc --times 1 -- ./racy >out 2>err </dev/null
[ $? -eq 0 ] || fail "racy --sc: not the old reading: $(tail -5 err)"
timeout 120 "$HEDDLE" run -v --times 1 --json=plain.json -- ./plain >out 2>err </dev/null
[ $? -eq 66 ] || fail "plain: exit status: $(tail -3 err)"
grep -q 'heddle: 1 race confirmed' err || fail "plain: what follows counts as a race: $(tail -1 err)"
grep -q 'Follows from it: data, write by' err || fail "plain: what follows is not listed"
grep -q '"follows": *\["data, write by' plain.json || fail "plain: what follows is not in the report"
timeout 120 "$HEDDLE" run --times 1 -- ./plain >out 2>err </dev/null
grep -q 'Follows from it: data, write by' err || fail "plain: what follows is hidden in the brief form"
exit 0
