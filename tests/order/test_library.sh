#!/usr/bin/env bash
# Synchronisation of C++20's library (library.cpp) by `heddle run`: where it is right nothing is reported and nothing
# undecided; with one fault a race is confirmed. -O0 and -O2, and the compilers, by turns; in the long run the right ones at both.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/order/library
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0 ran=0
compilers=()
for clang in clang-14 clang-19; do
    HEDDLE_CLANG=$clang "$HEDDLE" c++ --version >/dev/null 2>&1 && compilers+=("$clang")
done
[ ${#compilers[@]} -gt 0 ] || compilers=(clang)
for kind in {0..13}; do
    level=$((kind % 2 * 2))
    variants=("0 -O$((2 - level))" "1 -O$level")
    [ -z "${HEDDLE_TEST_LONG:-}" ] || variants+=("0 -O$level")
    for variant in "${variants[@]}"; do
        read -r fault level <<<"$variant"
        export HEDDLE_CLANG=${compilers[(kind + ran++) % ${#compilers[@]}]}
        what="kind $kind, fault $fault, $level, $HEDDLE_CLANG"
        "$HEDDLE" c++ -std=c++20 -g $level -DKIND=$kind -DFAULT=$fault "$here/library.cpp" -o prog -pthread 2>err ||
            { echo "FAIL $what: $(head -3 err)" && failed=1 && continue; }
        timeout 120 "$HEDDLE" run --times 1 --json=report.json -- ./prog >out 2>err </dev/null
        status=$?
        jq -e '.decided.undecided == 0' report.json >/dev/null || { echo "FAIL $what: $(grep -m 3 Undecided err)" && failed=1; }
        if [ $fault = 0 ]; then
            [ $status -eq 0 ] || { echo "FAIL $what: exit status $status: $(tail -3 err)" && failed=1; }
        else
            [ $status -eq 66 ] && jq -e '[.races[].status] - ["confirmed"] == []' report.json >/dev/null ||
                { echo "FAIL $what: exit status $status, not confirmed: $(tail -3 err)" && failed=1; }
        fi
    done
done
[ $ran -ge 28 ] || { echo "FAIL only $ran programs" && failed=1; }
exit $failed
