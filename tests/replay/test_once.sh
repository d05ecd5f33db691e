#!/usr/bin/env bash
# A thread that came to pthread_once while the routine ran: under a schedule it comes when it is due, which is later.
. "$TESTS/replay/lib.sh" || exit 1
start once
cp "$TESTS/replay/once.c" . || fail cp
build_all once
for exe in pass clang gcc; do
    "$HEDDLE" record -q -o $exe.hdt -- ./$exe >out 2>err </dev/null || fail "recording $exe: $(cat err)"
    confirm $exe.hdt || fail "$exe: not confirmed"
    [ "$confirmed" -ge 1 ] || fail "$exe: no race"
done
exit 0
