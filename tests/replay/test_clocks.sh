#!/usr/bin/env bash
# Programs that hang on the time: replays tell each thread the recorded times, so races that come after a loop that
# waits for the time, or after a wait with a limit, are confirmed from recordings of every policy.
. "$TESTS/replay/lib.sh" || exit 1
start clocks
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/clocks.c" -o clocks || fail "heddle cc"
policies="fifo sync"
for way in short work count sleep long; do
    [ $way = long ] && policies="fifo random pct sync"
    for policy in $policies; do
        timeout -k 5 60 "$HEDDLE" record -q --policy $policy --seed 3 -o now.hdt -- ./clocks $way >out 2>err </dev/null ||
            fail "$way, $policy: exit $?: $(cat err)"
        [ "$(cat out)" = 1 ] || fail "$way, $policy: $(cat out)"
        confirm now.hdt || fail "$way, $policy: not confirmed"
        [ "$confirmed" -ge 1 ] || fail "$way, $policy: no race"
    done
done
exit 0
