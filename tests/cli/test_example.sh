#!/usr/bin/env bash
# `make run` works, and the README shows what it really prints.
. "$TESTS/cli/lib.sh" || exit 1
root=$(cd "$TESTS/.." && pwd)
command_line="scripts/run-example.sh"
bash "$root/scripts/run-example.sh" "$HEDDLE" >out 2>err || fail "it fails"
expect_no_err
expect_out "data race on level [confirmed 6 of 6]"
expect_out "hb reports 0 pairs of source places"

# The session in the README, between its markers, is part of that output.
awk '/^```text session/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" >session
expect "the README has no session" [ -s session ]
expect "the README's session is not what 'make run' prints" python3 - <<'PY'
import sys
sys.exit(open("session").read().strip() not in open("out").read())
PY

# The trace that was written by hand belongs to its program: the lines that it names do what it says.
sed -n 's/.*|w(balance,.*|bank.c:\([0-9]*\)|.*/\1/p' "$root/examples/bank.trace" | head -1 >line
expect "bank.trace and bank.c differ" sh -c "sed -n \"\$(cat line)p\" '$root/examples/bank.c' | grep -q 'balance += 50'"
heddle analyze "$root/examples/bank.trace"
expect_code 66
expect_out "1. Race on balance"
finish
