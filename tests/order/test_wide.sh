#!/usr/bin/env bash
# Atomic objects of 16 bytes, by instructions and by calls of libatomic: a stack with a counter against ABA is quiet,
# its racy twin is confirmed, and operations return what they return natively.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/order/wide
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0

# stack EXIT FOUND FLAG...
stack() {
    local code=$1 found=$2
    shift 2
    "$HEDDLE" cc -w -g "$@" "$here/dcas.c" -o prog -pthread -latomic 2>cc.err &&
        timeout 60 "$HEDDLE" run -o out -- ./prog >text 2>err </dev/null
    local got=$?
    [ $got -eq "$code" ] && grep -q "$found" err && { [ "$code" -eq 66 ] || grep -q ' 0 undecided' err; } &&
        ! grep -q '^Not\|^ *memory was' err || {
        echo "FAIL $*: exit $got: $(cat cc.err err)"
        failed=1
    }
    rm -rf out
}

for level in -O0 -O2; do
    for form in 0 1 3; do
        stack 0 '0 races confirmed, 0 predicted only' $level -DFORM=$form
        stack 66 'data race on nodes.*confirmed' $level -DFORM=$form -DLATE
        stack 66 'data race on nodes.*confirmed' $level -mcx16 -DFORM=$form -DLATE
    done
    stack 0 '0 races confirmed, 0 predicted only' $level -mcx16 -DFORM=2
    stack 66 'data race on nodes.*confirmed' $level -mcx16 -DFORM=2 -DLATE
done

clang++ -w "$here/wide_calls.cpp" -o native -latomic && ./native >expected || exit 1
[ "$(wc -l <expected)" -eq 18 ] || { echo "FAIL: $(wc -l <expected) lines"; exit 1; }
for flags in -O0 -O2 "-O2 -mcx16"; do
    # shellcheck disable=SC2086
    "$HEDDLE" c++ -w -g $flags "$here/wide_calls.cpp" -o calls -latomic &&
        "$HEDDLE" record -q -o calls.hdt -- ./calls >got && cmp expected got &&
        "$HEDDLE" trace check calls.hdt >/dev/null || { echo "FAIL calls $flags"; failed=1; }
done
exit $failed
