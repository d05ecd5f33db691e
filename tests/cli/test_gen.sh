#!/usr/bin/env bash
# trace gen through the real pipe; 10,000 seeds run in-process in test_trace_gen.
. "$TESTS/cli/lib.sh" || exit 1
set -o pipefail
for seed in $(seq 50); do
    arguments="--seed $seed --threads $((2 + seed % 5)) --events $((seed * 13)) --locations $((1 + seed % 7)) --locks $((seed % 4))"
    [ $((seed % 3)) = 0 ] && arguments+=" --with omit"
    [ $((seed % 5)) = 0 ] && arguments+=" --to hdt"
    [ $((seed % 7)) = 0 ] && arguments+=" --style program --races 2 --locks 2"
    command_line="heddle trace gen $arguments | heddle trace check -"
    # shellcheck disable=SC2086
    "$HEDDLE" trace gen $arguments | "$HEDDLE" trace check - >out 2>err || fail "$(cat err)"
    expect_out "<stdin>: consistent: "
done

# The same on every machine: seeds in bug reports must stay good.
heddle trace gen --seed 1
expect "seed 1 gives another trace than it used to: $(cksum <out)" [ "$(cksum <out)" = "1487486324 884" ]
heddle trace gen --seed 1 --style program --events 1000 --races 3
expect "program seed 1 gives another trace than it used to: $(cksum <out)" [ "$(cksum <out)" = "91436806 31924" ]

# Only what was asked for.
heddle trace gen --seed 2 --only mutex,write
expect_code 0
expect "something else occurs" sh -c "! grep -vE '^(!control|t[0-9]+\\|(acq|rel|w)\\()' out"
heddle trace gen --seed 2 --without mutex,rwlock
expect "locks occur" sh -c '! grep -qE "acq|rel" out'
heddle trace gen --seed 2 --control all; expect "control branches" sh -c '! grep -q "^!control branches" out'
heddle trace gen --seed 2 --control branches; expect_out "!control branches"
heddle trace gen --seed 2 -o t.hdt; expect_code 0; expect_no_out
heddle trace gen --seed 2 --to text; cp out t.trace
heddle trace cat t.hdt; expect "-o differs from stdout" cmp -s out t.trace
heddle trace gen -o noname; expect_code 2

# The planted races of a program are its races.
for seed in 1 2 3 4; do
    heddle trace gen --style program --seed $seed --threads 3 --events 1 --locations 1 --locks 1 --races 2 -o p.trace
    heddle trace enumerate p.trace
    expect_code 66
    expect_out "p.trace: 2 racing pairs in "
done
finish
