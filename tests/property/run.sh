#!/usr/bin/env bash
# One program of this folder: each of its `expect` lines names a set of flags and what `heddle analyze` must find: the
# variables with races and with atomicity violations, and the numbers of threads of its deadlocks (`-`: none). The program
# is built with `heddle cc`, recorded under several policies and analysed; every witness must pass `witness check`, and
# some of them are replayed: the program must really come to what they say.
#   run.sh NAME.c      with HEDDLE, INCLUDE, TMP_DIR in the environment
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$1 name=${1%.*}
work=$TMP_DIR/property/$name
rm -rf "$work" && mkdir -p "$work" && cd "$work" && cp "$here/$source" . || exit 1

fail() {
    echo "FAIL $name: $*; see $work" >&2
    exit 1
}

# The sorted names after a pattern, without subscripts and fields, joined by commas; - when there are none.
names() {
    sed -nE "s/^[0-9]+\. $1/\1/p" found | sed 's/[^A-Za-z0-9_].*//' | sort -u | paste -sd, | sed 's/^$/-/'
}

# analyse FLAGS EXPECTED POLICY...
analyse() {
    local flags=$1 expected=$2
    shift 2
    rm -rf w && rm -f t.hdt
    timeout -k 5 60 "$HEDDLE" record -o t.hdt "$@" -- ./prog >prog.out 2>prog.err </dev/null || fail "$flags: $(cat prog.err)"
    "$HEDDLE" analyze --property race,atomicity,deadlock --require-complete --witness-dir w t.hdt >found 2>analyze.err
    case $? in 0 | 66) ;; *) fail "$flags, $*: $(cat analyze.err)" ;; esac
    local got="race=$(names 'Race on (.*)') atomicity=$(names 'Atomicity violation on ([^ ]*).*') deadlock=$(names 'Deadlock of ([0-9]+) .*')"
    [ "$got" = "$expected" ] || fail "$flags, $*: expected $expected, got $got"
    for witness in w/*.json; do
        [ -e "$witness" ] || continue
        "$HEDDLE" witness check t.hdt "$witness" >/dev/null || fail "$flags, $*: $witness"
    done
}

# replay FLAGS: the first witness of each property.
replay() {
    local property witness
    for property in '[0-9]' atomicity deadlock; do
        for witness in w/witness-$property*.json; do
            [ -e "$witness" ] || continue
            timeout -k 5 60 "$HEDDLE" replay "$witness" >replayed 2>&1 </dev/null
            [ $? = 66 ] && grep -q '^CONFIRMED' replayed || fail "$1: replay of $witness: $(cat replayed)"
            break
        done
    done
}

"$HEDDLE" cc --version >/dev/null 2>&1 || exit 77 # built without the compiler pass
cases=0
while IFS= read -r line; do
    flags=$(sed -E 's/.*expect *([^:]*):.*/\1/' <<<"$line")
    expected=$(sed -E 's/.*expect[^:]*: *//' <<<"$line")
    # shellcheck disable=SC2086
    "$HEDDLE" cc -g -O1 -pthread -Wall -Werror -I"$INCLUDE" $flags "$source" -o prog || fail "the build with $flags"
    analyse "$flags" "$expected"
    replay "$flags"
    analyse "$flags" "$expected" --policy random --seed 2 --quantum 30
    cases=$((cases + 1))
done < <(grep -E '^// expect' "$here/$source")
[ "$cases" -gt 0 ] || fail "nothing is expected"
exit 0
