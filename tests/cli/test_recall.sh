#!/usr/bin/env bash
# The quick part of bench/recall: one plain `heddle run` finds the race of each program and reports nothing on its twin.
. "$TESTS/cli/lib.sh" || exit 1
command_line="bench/recall/run.sh -q -n"
"$TESTS/../bench/recall/run.sh" -q -n "$HEDDLE" >out 2>err || fail "something is missed or wrong: $(cat out err)"
expect "not twelve programs: $(cat out)" grep -q '^12 programs, 6 racy: found on 6 ' out
finish
