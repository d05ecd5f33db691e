#!/usr/bin/env bash
# The result of every modelled function depends on what the table of them says and on nothing else: results/calls.c and
# calls.cpp have a race on y that one dependence too many hides. results/create.c: so with the creation of a thread.
# Environment: HEDDLE, TESTS, TMP_DIR.
set -eu
work=$TMP_DIR/pass-results
rm -rf "$work" && mkdir -p "$work" && cd "$work"
lib=$(dirname "$HEDDLE")/lib/heddle
[ -e "$lib/libheddle_rt.so" ] && compgen -G "$lib/heddle-pass-*.so" >/dev/null || { echo "no pass or runtime"; exit 77; }

judge() { # judge NAME: the race on y is in what NAME does
    "$HEDDLE" record -q -o "$1.hdt" -- "./$1" 2>messages || { echo "$1: exit $?"; cat messages; exit 1; }
    "$HEDDLE" analyze "$1.hdt" >found || [ $? = 66 ]
    grep -q 'Race on y' found || { echo "$1: the race is missed"; "$HEDDLE" trace cat "$1.hdt"; exit 1; }
}

for number in $(sed -n 's/^ *case \([0-9]*\):.*/\1/p' "$TESTS/pass/results/calls.c"); do
    "$HEDDLE" cc -O$((number % 2)) -pthread -DCASE="$number" "$TESTS/pass/results/calls.c" -o "c$number" -lm
    judge "c$number"
done
for number in $(sed -n 's/^ *case \([0-9]*\):.*/\1/p' "$TESTS/pass/results/calls.cpp"); do
    "$HEDDLE" c++ -std=c++17 -O$((number % 2)) -pthread -DCASE="$number" "$TESTS/pass/results/calls.cpp" -o "cxx$number"
    judge "cxx$number"
done

# Whatever order is recorded, the race is in it.
"$HEDDLE" cc -O1 -pthread "$TESTS/pass/results/create.c" -o create
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$HEDDLE" record -q --policy pct --steps 4 --seed $seed -o create.hdt -- ./create
    "$HEDDLE" analyze create.hdt >found || [ $? = 66 ]
    grep -q 'Race on x' found || { echo "create, seed $seed: the race is missed"; cat found; exit 1; }
done
