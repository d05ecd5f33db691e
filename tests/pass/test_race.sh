#!/usr/bin/env bash
# Races found only thanks to the dependences from SSA, and twins that must not be reported: recorded with the
# real runtime, judged by exhaustive enumeration. See race/race.c.
set -eu
work=$TMP_DIR/pass-race
rm -rf "$work"
mkdir -p "$work"
cd "$work"
lib=$(dirname "$HEDDLE")/lib/heddle
[ -e "$lib/libheddle_rt.so" ] && compgen -G "$lib/heddle-pass-*.so" >/dev/null || { echo "no pass or runtime"; exit 77; }

fail() {
    echo "FAIL: $*" >&2
    "$HEDDLE" trace cat trace.hdt >&2
    exit 1
}

. "$TESTS/replay/confirm.sh" || exit 1

judge() { # judge WHAT WANT: is a race on x in trace.hdt reported
    local found=no
    "$HEDDLE" trace check trace.hdt >check 2>&1 || fail "$1: $(cat check)"
    "$HEDDLE" trace enumerate trace.hdt >pairs 2>&1 || true
    grep -q 'states' pairs || fail "$1: enumeration failed: $(cat pairs)"
    grep -q '^race on ' pairs && found=yes
    [ "$found" = "$2" ] || fail "$1: race $found, expected $2: $(cat pairs)"
}

record() {
    "$HEDDLE" record -q -o trace.hdt -- "$1" || fail "$1: exit $?"
}

want=(- yes no no yes no no yes no no no yes)
for plugin in "$lib"/heddle-pass-*.so; do
    version=${plugin##*-}
    version=${version%.so}
    command -v "clang-$version" >/dev/null || continue
    for number in 1 2 3 4 5 6 7 8 9 10 11; do
        for level in 0 2; do
            [ "$level$version" != 019 ] || continue # both levels with 14 only: time
            HEDDLE_CLANG=clang-$version "$HEDDLE" cc -O$level -DCASE=$number "$TESTS/pass/race/race.c" -o prog
            record ./prog >out
            judge "case $number -O$level clang-$version" "${want[$number]}"
            [ "${want[$number]}" = no ] && continue
            confirm trace.hdt >problems || fail "case $number -O$level clang-$version: $(cat problems)"
            [ "$confirmed" -ge 1 ] || fail "case $number -O$level clang-$version: nothing to replay"
        done
    done
done

# Objects of another compiler say nothing about dependences: the same program, no race can be shown.
gcc -fsanitize=thread -O1 -DCASE=1 -c "$TESTS/pass/race/race.c" -o tsan.o
"$HEDDLE" cc tsan.o -o prog
record ./prog
judge "case 1 by gcc -fsanitize=thread" no
