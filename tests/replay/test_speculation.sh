#!/usr/bin/env bash
# The compiler puts no access before a loop that need not have it: a correct program is quiet at every level, under both
# compilers, and the race of its twin is found.
. "$TESTS/replay/lib.sh" || exit 1
start speculation
for clang in clang-14 clang-19; do
    command -v $clang >/dev/null || continue
    export HEDDLE_CLANG=$clang
    for kind in 0 1 2 3 4; do
        for level in 1 2; do
            "$HEDDLE" c++ -g -O$level -DKIND=$kind "$TESTS/replay/speculation.cpp" -o good -pthread || fail "heddle c++"
            "$HEDDLE" -q run --runs 1 --times 1 -o "good-$clang-$kind-$level" -- ./good >out 2>err </dev/null
            [ $? -eq 0 ] || fail "$clang -O$level, kind $kind: $(cat err)"
        done
        "$HEDDLE" c++ -g -O2 -DKIND=$kind -DRACY "$TESTS/replay/speculation.cpp" -o racy -pthread || fail "heddle c++"
        "$HEDDLE" -q run --runs 1 --times 1 -o "racy-$clang-$kind" -- ./racy >out 2>err </dev/null
        [ $? -eq 66 ] || fail "$clang, kind $kind: the race is not found: $(cat err)"
    done
done
exit 0
