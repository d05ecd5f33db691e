#!/usr/bin/env bash
# What libraries do to the program's memory: results that libc writes, blocks and exceptions that are counted. Races
# there are found and confirmed, and correct twins are quiet. No replay waits for a lock inside libc.
. "$TESTS/replay/lib.sh" || exit 1
start libc

check() { # check NAME COMPILER...
    local name=$1 kind
    shift
    for kind in good bad; do
        "$@" $([ $kind = good ] || echo -DBAD) -o $kind || fail "$name: heddle cc"
        timeout -k 5 100 "$HEDDLE" run $orders -t 1 -o "$name.$kind" -- ./$kind >out 2>err </dev/null
        local code=$?
        if [ $kind = good ]; then
            [ $code -eq 0 ] || fail "$name, correct: exit $code: $(cat err)"
        else
            [ $code -eq 66 ] || fail "$name: exit $code: $(cat err)"
            jq -e '[.races[].status] | index("confirmed")' "$name.$kind/report.json" >/dev/null || fail "$name: $(cat err)"
        fi
    done
}

orders=
for way in $(seq 19); do
    check calls$way "$HEDDLE" cc -g -O1 -pthread -DV=$way "$TESTS/replay/libc_calls.c"
done
for way in 1 2; do
    # libstdc++ 12 gives up the lock inside atomic<shared_ptr>::load with a relaxed operation: a race by the standard.
    orders=$([ $way = 1 ] || echo --sc)
    check counted$way "$HEDDLE" c++ -std=c++20 -g -O1 -pthread -DV=$way "$TESTS/replay/counted.cpp"
done
exit 0
