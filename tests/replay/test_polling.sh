#!/usr/bin/env bash
# Programs that poll, in every way, for what is done after a wait of every kind: under every policy they end, and
# what they did is little. Their race is confirmed, and a search ends in its time.
. "$TESTS/replay/lib.sh" || exit 1
start polling
"$HEDDLE" cc -g -O1 -D_GNU_SOURCE -pthread "$TESTS/replay/polling.c" -o polling || fail "heddle cc"
ways=$(./polling)
[ "$(printf '%s\n' "$ways" | wc -l)" -ge 20 ] || fail "the list of ways"
MOST=400000 # bytes of a recording with its names; spinning freely writes as much in a hundredth of a second

# recorded POLICY ARG...
recorded() {
    local policy=$1
    shift
    timeout -k 5 60 "$HEDDLE" record -q --policy "$policy" --seed 3 -o now.hdt -- ./polling "$@" >out 2>err </dev/null ||
        fail "$policy: $*: exit $?: $(cat err)"
    [ "$(cat out)" = over ] || fail "$policy: $*: $(cat out)"
    [ "$(stat -c %s now.hdt)" -le $MOST ] || fail "$policy: $*: $(stat -c %s now.hdt) bytes"
}

for spin in $(printf '%s\n' "$ways" | grep spin_); do
    for wait in $(printf '%s\n' "$ways" | grep wait_); do
        for policy in fifo random pct sync; do
            recorded $policy "$spin" "$wait"
        done
    done
    recorded random "$spin" wait_sleep second
    recorded fifo "$spin" wait_often second
done

# Replays of the same: the schedule leads through the loop or stops in it, then policy fifo has to end it.
for spin in $(printf '%s\n' "$ways" | grep spin_); do
    recorded fifo "$spin" wait_cond
    confirm now.hdt || fail "$spin: not confirmed"
    [ "$confirmed" -ge 1 ] || fail "$spin: no race"
done

# A search.
for spin in spin_load spin_yield spin_past spin_lock spin_trylock spin_sem; do
    timeout -k 5 60 "$HEDDLE" -q explore -o "explore-$spin" --budget 3s -- ./polling $spin wait_sleep >out 2>err </dev/null
    [ $? -eq 66 ] || fail "explore: $spin: exit $?: $(cat err)"
    grep -q 'failure' "explore-$spin/report.txt" && fail "explore: $spin: $(grep failure "explore-$spin/report.txt")"
done
exit 0
