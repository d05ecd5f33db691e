#!/usr/bin/env bash
# Atomic objects of 16 bytes, by instructions and by calls of libatomic: a stack with a counter against ABA is quiet,
# its racy twins are confirmed (a write too late; orders too weak, for which --sc is quiet), and operations return what
# they return natively.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/order/wide
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0

build() { "$HEDDLE" cc -w -g "$@" "$here/dcas.c" -o prog -pthread -latomic || exit 1; }

# run FOUND OPTION...: exit code in $code; nothing may be unseen
run() {
    local found=$1
    shift
    timeout 60 "$HEDDLE" run -o out "$@" -- ./prog >text 2>err </dev/null
    code=$?
    rm -rf out
    grep -q "$found" err && ! grep -q '^Not instrumented\|^Not modelled\|^Note: memory' err
}

bad() {
    echo "FAIL $*: exit $code: $(cat err)"
    failed=1
}

quiet() {
    build "$@"
    run '0 races confirmed, 0 predicted only' --runs 1 && [ $code = 0 ] || bad "$@" "in one run"
    run '0 races confirmed, 0 predicted only' && [ $code = 0 ] || bad "$@"
}

weak() {
    build "$@"
    run 'unordered race on nodes.*confirmed' && [ $code = 66 ] || bad "$@"
    run '0 races confirmed, 0 predicted only' --sc && [ $code = 0 ] || bad "$@" --sc
}

racy() {
    build "$@" -DLATE
    run 'data race on nodes.*confirmed' && [ $code = 66 ] || bad "$@" -DLATE
}

relaxed="-DREL=memory_order_relaxed -DACQ=memory_order_relaxed"
released="-DREL=memory_order_release -DACQ=memory_order_relaxed"
acquired="-DREL=memory_order_acquire -DACQ=memory_order_acquire"
for level in -O0 -O2; do
    for form in 0 1 3; do
        quiet $level -DFORM=$form
        racy $level -DFORM=$form
        racy $level -mcx16 -DFORM=$form
    done
    quiet $level -mcx16 -DFORM=2
    racy $level -mcx16 -DFORM=2
    # shellcheck disable=SC2086
    weak $level -DFORM=0 $relaxed
    # shellcheck disable=SC2086
    weak $level -DFORM=1 $released
    # shellcheck disable=SC2086
    weak $level -mcx16 -DFORM=3 $acquired
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
