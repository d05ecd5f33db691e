#!/usr/bin/env bash
# Findings in OpenMP programs use the names of the source: variables, regions, critical sections.
set -u
dir=$(mktemp -d "$TMP_DIR/openmp-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "$1" >&2; cat out >&2; exit 1; }
report() { # report NAME: the racy program's report in out
    cp "$TESTS/openmp/programs/$1.c" . && # a short name, so that the brief report has room for locks
        "$HEDDLE" cc -fopenmp -g -O1 -DRACY -I"$TESTS/openmp/programs" "$1.c" -o "$1" >out 2>&1 || fail "$1 does not compile"
    timeout 60 "$HEDDLE" run -o "o.$1.$clang" -- "./$1" >out 2>&1
    [ $? = 66 ] || fail "$1: no race"
}
for clang in clang-14 clang-19; do
    command -v $clang >/dev/null || continue
    export HEDDLE_CLANG=$clang
    report reduction
    grep -q "data race on sum " out || fail "$clang: the shared variable has no name"
    grep -q "in OpenMP region" out || fail "$clang: the region has no name"
    report carried_static
    grep -q "data race on a\[" out || fail "$clang: the shared array has no name"
    report critical_names
    tr -s '\n ' ' ' <out | grep -q "locks: critical:first" || fail "$clang: the critical section has no name"
    # Locks have the names of their variables, and the waits are where the program waits.
    "$HEDDLE" cc -fopenmp -g -O1 "$TESTS/openmp/orders.c" -o orders >out 2>&1 || fail "$clang: orders.c does not compile"
    timeout 60 "$HEDDLE" run --property deadlock -o "o.orders.$clang" -- ./orders >out 2>&1
    tr -s '\n ' '  ' <out >flat
    grep -Eq "deadlock on (left, right|right, left)" flat || fail "$clang: the locks have no names"
    grep -Eq "wait for lock [a-z]* by [^;]* in both [^ ]*orders.c:9" flat || fail "$clang: the wait is not at its place"
    grep -Eq "libheddle_omp|heddle-openmp" out && fail "$clang: our library is in a stack"
done
exit 0
