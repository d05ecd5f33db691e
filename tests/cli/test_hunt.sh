#!/usr/bin/env bash
# heddle hunt: usage, programs that cannot be searched, inputs that cannot be read.
. "$TESTS/cli/lib.sh" || exit 1
heddle hunt
expect_usage "name the program"
heddle hunt --input nothing -- /bin/true
expect_usage "--input wants"
heddle hunt --budget soon -- /bin/true
expect_usage "--budget wants a time"
heddle hunt --solver-budget 0 -- /bin/true
expect_usage "--solver-budget wants a time"
heddle hunt --order sideways -- /bin/true
expect_code 2
heddle hunt -o new -- ./not-there
expect_code 3
expect_err "not-there"
heddle hunt -o true -- /bin/true
expect_code 3
expect_err "not instrumented"
# A program that cannot be searched leaves no folder behind.
heddle hunt -- /bin/true
expect_code 3
[ ! -e heddle-out ] && [ ! -e new ] && [ ! -e true ] || fail "a folder was made for nothing"
heddle hunt --rerun not-there
expect_code 3
echo nonsense >bad.input
heddle hunt --rerun bad.input
expect_code 3
expect_err "bad.input:1: this is no input file"
finish
