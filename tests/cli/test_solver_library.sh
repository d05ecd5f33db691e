#!/usr/bin/env bash
# Z3's library is loaded by what asks a solver, and by nothing else; where it cannot be loaded, that is told.
. "$TESTS/cli/lib.sh" || exit 1

loads_z3() {
    LD_DEBUG=files "$HEDDLE" "$@" 2>&1 | grep -q 'calling init: .*libz3'
}
loads_z3 --version || fail "the solver's version is told without the solver"
loads_z3 doctor --apis && fail "a list of functions takes the solver"
loads_z3 trace gen --seed 1 -o t.txt && fail "making a trace takes the solver"

mkdir broken
: >"broken/$(LD_DEBUG=files "$HEDDLE" --version 2>&1 | grep -om1 'libz3[^ ;/]*')"
LD_LIBRARY_PATH=broken heddle doctor
expect_code 77
grep -Eq '^solver +FAIL .*libz3.*too short' out || fail "the missing solver is not told: $(grep solver out)"
finish
