#!/usr/bin/env bash
# Traces of other recorders: the example of docs/TEXT_FORMAT.md section 8, and RAPID STD without wait() read with --lenient.
. "$TESTS/cli/lib.sh" || exit 1
sed -n '/^```trace$/,/^```$/p' "$TESTS/../docs/TEXT_FORMAT.md" | sed '1d;$d' >demo.txt
heddle trace check demo.txt
expect_code 0
heddle analyze --json demo.txt
expect_code 66
jq -e '.detectors.max.pairs == [[8, 10]]' out >/dev/null || fail "not the race on count: $(head -c 400 out)"

cat >wait.std <<'T'
T0|fork(T1)|1
T1|acq(M)|2
T1|acq(M)|2
T1|r(x)|3
T0|acq(M)|4
T0|w(x)|5
T0|rel(M)|7
T1|r(z)|8
T1|rel(M)|9
T1|rel(M)|9
T1|w(y)|10
T0|r(y)|12
T
heddle analyze wait.std
expect_code 3
expect_err 'lock M is held by T1'
heddle analyze --lenient wait.std
expect_code 66
expect_err '1 wait assumed'
expect_out 'of an incomplete trace'
# What the wait gave up is taken again before the thread goes on: x stays under the lock, and only y races.
expect_out 'wait.std: 1 race in 2 pairs of source places'
grep -v '(y)' wait.std >quiet.std
heddle analyze --lenient quiet.std
expect_code 5
heddle analyze --lenient --allow-undecided quiet.std
expect_code 0

# A trace without such a lock is as it was.
grep -v T0.acq quiet.std | grep -v T0.rel >plain.std
heddle analyze plain.std
expect_code 66
cp out before
heddle analyze --lenient plain.std
expect_code 66
cmp -s out before || fail "--lenient changes a trace that needs nothing"

# Refused: both go on inside the lock; more than plain STD.
grep -v 'T0|rel' wait.std >both.std
heddle analyze --lenient both.std
expect_code 3
expect_err 'a wait does not explain that T1 and T0 hold the lock M'
heddle analyze --lenient demo.txt
expect_code 3
expect_err "plain STD cannot say '!control branches'"
finish
