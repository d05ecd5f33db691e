#!/usr/bin/env bash
# Every race predicted in mix.c, built in three ways, is confirmed twenty of twenty times.
set -u
. "$TESTS/replay/lib.sh"
start confirm
cp "$TESTS/replay/mix.c" .
build_all mix
for run in "pass fifo 1" "pass random 5" "clang fifo 1" "gcc random 3"; do
    set -- $run
    "$HEDDLE" record -q -o "$1.hdt" --policy "$2" --seed "$3" --quantum 10 -- "./$1" >/dev/null 2>&1 </dev/null ||
        fail "recording $run"
    confirm "$1.hdt" >problems || fail "$run: $(cat problems)"
    [ "$confirmed" -ge 6 ] || fail "$run: only $confirmed races"
done
# Who joins a thread waits for the branches at its end.
"$HEDDLE" cc -g -O0 "$TESTS/replay/joined.c" -o joined -pthread || fail "heddle cc"
"$HEDDLE" record -q -o joined.hdt -- ./joined >/dev/null 2>&1 </dev/null || fail "recording joined"
confirm joined.hdt >problems || fail "joined: $(cat problems)"
[ "$confirmed" -ge 1 ] || fail "joined: no race"
exit 0
