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
exit 0
