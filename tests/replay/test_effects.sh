#!/usr/bin/env bash
# What the report says about each order: exit status, signal with stack, assertion, output, deadlock, time-out.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start effects
cp "$TESTS/replay/effects.c" .
"$HEDDLE" cc -g -O1 effects.c -o effects || fail "heddle cc"

order() { # order REGEX: of the line about the reader going first
    has out "^  T1.2 first \(effects.c:[0-9]+\): $1"
}

predict effects nothing
replay 66 "$witness"
has out '^CONFIRMED race on flag$'
has out '^  T1.1 first \(effects.c:[0-9]+\): exit 0$'
has out '^    T1.1 writes 1$'
has out '^    T1.2 reads 0$'
has out '^2 of 2 executions confirmed$'
has out 'at effects.c:[0-9]+$' # the stacks
order 'exit 0'
grep -q 'write different' out && fail "outputs differ: $(cat out)"
grep -q '^before' out && fail "the program's output shows"
replay 66 "$witness" --verbose
[ "$(grep -c '^after$' out)" = 2 ] || fail "--verbose: $(cat out)"

predict effects output
replay 66 "$witness"
has out '^    -the flag is up$'
has out '^    \+the flag is down$'
replay 66 "$witness" --order first
has out '^1 of 1 execution confirmed$'
grep -q 'T1.2 first' out && fail "--order first ran the second"
replay 66 "$witness" --order second
grep -q 'T1.1 first' out && fail "--order second ran the first"

# A line that is another one in each run says nothing about the orders.
predict effects seed
replay 6 "$witness" --times 2
has out '^    -the flag is up$'
has out '^    \+the flag is down$'
grep -q '[-+]seed' out && fail "lines of each run: $(cat out)"
predict effects 'seed alone'
replay 6 "$witness" --times 2
grep -q 'write different' out && fail "lines of each run: $(cat out)"

predict effects assertion
replay 66 "$witness"
order 'assertion failed: effects.c:[0-9]+: .*seen == 1'
has out 'show at effects.c:'

predict effects crash
replay 66 "$witness"
order 'killed by SIGSEGV'
has out '^        show at effects.c:'

predict effects exit
replay 66 "$witness"
order 'exit 9'

predict effects deadlock
replay 66 "$witness"
order 'deadlock'
has out 'T1.2 (\(reader\) )?waits for lock a at effects.c:'

predict effects hang
replay 66 "$witness" --timeout 3
order 'did not end in time'
exit 0
