#!/usr/bin/env bash
# Threads that are cancelled or throw: the unwinder's own initialisation is over before main, so that a replay, which
# takes stacks, does not do it earlier than the recording did.
. "$TESTS/replay/lib.sh" || exit 1
start unwound
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/cancelled.c" -o cancelled || fail "heddle cc"
for policy in fifo sync; do
    "$HEDDLE" record -q --policy $policy -o cancelled.hdt -- ./cancelled >/dev/null 2>err </dev/null || fail "recording: $(cat err)"
    confirm cancelled.hdt >problems || fail "$policy: $(cat problems)"
    [ "$confirmed" -ge 1 ] || fail "$policy: no race"
    ! "$HEDDLE" trace cat cancelled.hdt | grep -q 'acq(libgcc' || fail "$policy: the unwinder initialises itself in a thread"
done
exit 0
