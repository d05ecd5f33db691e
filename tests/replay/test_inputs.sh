#!/usr/bin/env bash
# Inputs that vary between runs are given back: clock, process id, random sources, environment, arguments, addresses
# and standard input.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start inputs
cp "$TESTS/replay/inputs.c" .
"$HEDDLE" cc -g -O1 inputs.c -o inputs || fail "heddle cc"
printf 'a line of input' >input.txt

INPUT_TEST=kept "$HEDDLE" record -q -o t.hdt -- ./inputs word <input.txt >recorded 2>err || fail "record: $(cat err)"
has recorded 'word word, environment kept'
has recorded 'input a line of input'
rm input.txt
"$HEDDLE" analyze t.hdt --witness-dir w >/dev/null 2>&1
[ $? -eq 66 ] || fail "no race"
replayed=0
for witness in w/*.json; do
    replay 66 "$witness" --order first --verbose --times 3
    has out 'all repetitions alike$'
    grep -E '^(pid|date|numbers)' out | sort -u >replayed.txt
    # addresses of the stack follow the length of the environment, which names our log
    for field in pid urandom rand date heap numbers input; do
        a=$(grep -oE "$field [^,]*" recorded) b=$(grep -oE "$field [^,]*" replayed.txt | sort -u)
        [ "$a" = "$b" ] || fail "$field: recorded '$a', replayed '$b'"
    done
    grep -q 'write different' out && fail "orders differ: $(cat out)"
    replayed=$((replayed + 1))
done
[ $replayed -ge 1 ] || fail "no witness"

# What was not kept is said.
printf 'from a pipe' | "$HEDDLE" record -q -o p.hdt -- ./inputs >recorded 2>err || fail "record: $(cat err)"
has recorded 'input from a pipe'
rm -rf w
"$HEDDLE" analyze p.hdt --witness-dir w >/dev/null 2>&1
set -- w/*.json
timeout 60 "$HEDDLE" replay "$1" >out 2>err </dev/null
has err 'the standard input of the recorded run was not kept'
exit 0
