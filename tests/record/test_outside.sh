#!/usr/bin/env bash
# Code that the pass cannot see: named, and no false race comes of it.
# Environment: HEDDLE, TMP_DIR.
set -eu
here=$(cd "$(dirname "$0")/outside" && pwd)
work=$TMP_DIR/record-outside
rm -rf "$work" && mkdir -p "$work" && cd "$work"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

run() { # run NAME ARGS: quiet within a minute
    timeout 60 "$HEDDLE" run --output "out-$1" -- "./$@" >text 2>&1 || fail "$1: exit $?: $(cat text)"
    grep -q '0 races confirmed, 0 predicted only' text || fail "$1: $(cat text)"
}

# A module that is loaded later is named, if it is not instrumented.
"$HEDDLE" cc -O1 -pthread "$here/host.c" -o host -ldl
cc -shared -fPIC -O1 "$here/plugin.c" -o plugin.so
run host ./plugin.so
grep -q 'Not instrumented: plugin.so' text || fail "the plugin is not named: $(cat text)"
"$HEDDLE" cc -shared -fPIC -O1 "$here/plugin.c" -o seen.so
timeout 60 "$HEDDLE" run --output out-seen -- ./host ./seen.so >text 2>&1 && fail "the race is missed: $(cat text)"
! grep -q 'Not instrumented' text || fail "seen.so is named: $(cat text)"

# Inline assembly that nobody can read keeps its order, and is named.
cp "$here/unread.c" .
"$HEDDLE" cc -g -O1 -pthread unread.c -o unread
timeout 60 "$HEDDLE" run --output out-unread -- ./unread >text 2>&1 && fail "unread: exit 0: $(cat text)"
[ $? = 5 ] || fail "unread: not exit 5: $(cat text)" # nothing found, but not all was seen
grep -q '0 races confirmed, 0 predicted only' text || fail "unread: $(cat text)"
grep -q 'Not modelled: inline assembly, first at unread.c:10$' text || fail "the assembly is not named: $(cat text)"
[ "$(grep -c 'Not modelled' text)" = 1 ] || fail "the assembly is named twice: $(cat text)"

# Valgrind's requests to itself do nothing elsewhere.
"$HEDDLE" cc -O1 -pthread "$here/valgrind.c" -o valgrind
timeout 60 "$HEDDLE" run --output out-valgrind -- ./valgrind >text 2>&1 || fail "valgrind: exit $?: $(cat text)"
! grep -q 'inline assembly' text || fail "valgrind.h is not read: $(cat text)"

# What code without hooks wrote is laid to nobody who did not write it.
cc -O1 -c "$here/poke.c" -o poke.o
for number in 0 1 2 3; do
    "$HEDDLE" cc -O1 -pthread -DCASE=$number "$here/written.c" poke.o -o "written$number"
    for policy in fifo random pct; do
        "$HEDDLE" record -q --policy $policy -o written.hdt -- "./written$number"
        "$HEDDLE" analyze written.hdt >found || [ $? = 66 ]
        grep -q '; 0 undecided' found || fail "written, case $number: $(cat found)"
        x=$(grep -c 'Race on x' found || true)
        [ "$x" = $((number == 3)) ] || fail "written, case $number, $policy: $x races on x: $(cat found)"
        [ $number = 0 ] || grep -q 'Race on loud' found || fail "written, case $number, $policy: $(cat found)"
    done
done

# One of those who may have seen such a write is in a wait: what keeps the order cannot stand inside of it.
"$HEDDLE" cc -O1 -pthread "$here/waiting.c" poke.o -o waiting
run waiting

# What a thread wrote to its own stack unseen is not laid to another one that was in code without hooks meanwhile.
"$HEDDLE" cc -O1 -pthread "$here/own_stack.c" poke.o -o own_stack
"$HEDDLE" record -q -o own_stack.hdt -- ./own_stack
"$HEDDLE" trace cat own_stack.hdt | grep -q '|w(.*|outside' || fail "own_stack: no write is unseen"
"$HEDDLE" analyze own_stack.hdt >found || fail "own_stack: $(cat found)"

# A call that can throw has come back also where two ways of the function meet behind it.
for level in -O0 -O2; do
    "$HEDDLE" c++ $level -pthread "$here/merged.cpp" poke.o -o "merged$level"
    run "merged$level"
done

# What libstdc++ does at the end of a thread is no place for the writes of its maps.
for level in -O0 -O1; do
    "$HEDDLE" c++ $level -pthread "$here/table.cpp" -o table
    timeout 100 "$HEDDLE" run --output "out-table$level" -- ./table >text 2>&1 && fail "table $level: the race is missed: $(cat text)"
    grep -q '^1. data race on .*counter.*confirmed' text || fail "table $level: $(cat text)"
    "$HEDDLE" c++ $level -pthread -DRIGHT "$here/table.cpp" -o "right$level"
    run "right$level"
done
