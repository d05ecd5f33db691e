#!/usr/bin/env bash
# Source that knows ThreadSanitizer: it compiles, links, and what it says is understood.
# Environment: HEDDLE, TMP_DIR.
set -eu
here=$(cd "$(dirname "$0")/tsan" && pwd)
work=$TMP_DIR/record-tsan
rm -rf "$work" && mkdir -p "$work" && cd "$work"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

analysed() { # analysed NAME POLICY: what is found goes to `found`
    timeout 60 "$HEDDLE" record -q --policy "$2" -o "$1.hdt" -- "./$1" || fail "$1: exit $?"
    "$HEDDLE" analyze "$1.hdt" >found || [ $? = 66 ]
    grep -q '; 0 undecided' found || fail "$1: $(cat found)"
}

for number in 0 1 2 3 4 5 6; do
    "$HEDDLE" cc -O$((number % 2)) -pthread -DCASE=$number "$here/annotated.c" -o "case$number"
    for policy in fifo random; do
        analysed "case$number" $policy
        ! grep -q 'Race on guarded' found || fail "case $number, $policy: a false race: $(cat found)"
        grep -q 'Race on loud' found || fail "case $number, $policy: the race is missed: $(cat found)"
    done
done
"$HEDDLE" cc -O1 -pthread -DCASE=7 "$here/annotated.c" -o case7
analysed case7 fifo
grep -q 'Race on guarded' found || fail "case 7 has no annotations, and no race: $(cat found)"

# The macros can be switched off; the program is recorded all the same.
printf '%s\n' '#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)' '#error "on"' '#endif' >plain.c
cat "$here/volatile.c" >>plain.c
! "$HEDDLE" cc -c plain.c 2>messages || fail "the macros are off"
"$HEDDLE" cc --no-tsan-macros -O1 -pthread plain.c -o plain
analysed plain fifo
grep -q 'Race on flag' found || fail "without macros: $(cat found)"

"$HEDDLE" cc --volatile-atomic -O1 -pthread "$here/volatile.c" -o atomic
analysed atomic fifo
! grep -q 'Race on' found || fail "volatile is not atomic: $(cat found)"
HEDDLE_VOLATILE_ATOMIC=1 "$HEDDLE" cc -O1 -pthread "$here/volatile.c" -o atomic
analysed atomic fifo
! grep -q 'Race on' found || fail "volatile is not atomic by the environment: $(cat found)"

# Sanitizers that replace the same functions are refused by name; UBSan is not.
"$HEDDLE" cc -fsanitize=address,undefined "$here/volatile.c" -o no 2>messages && fail "ASan is taken"
grep -q 'fsanitize=address,undefined' messages || fail "$(cat messages)"
"$HEDDLE" cc -fsanitize=undefined -O1 -pthread "$here/volatile.c" -o checked
analysed checked fifo
grep -q 'Race on flag' found || fail "with UBSan: $(cat found)"

pkg-config --exists absl_synchronization || { echo "absl is not installed: not tried"; exit 0; }
for level in 0 2; do
    # shellcheck disable=SC2046
    "$HEDDLE" c++ -std=c++17 -O$level "$here/abseil.cpp" -o abseil $(pkg-config --cflags --libs absl_synchronization)
    for policy in fifo random; do
        analysed abseil $policy
        [ "$(grep -c 'Race on' found)" = 1 ] && grep -q 'Race on loud' found || fail "absl::Mutex: $(cat found)"
    done
done

# Conditions: nothing of what they read, and nothing that they keep apart, is reported; what they read without the
# mutex being held by the writer is.
for racy in "" -DFEW -DRACY; do
    # shellcheck disable=SC2046,SC2086
    "$HEDDLE" c++ -std=c++17 -O1 $racy "$here/conditions.cpp" -o conditions \
        $(pkg-config --cflags --libs absl_synchronization absl_time)
    loud=0
    for policy in fifo random pct sync; do
        analysed conditions $policy
        ! grep 'ace on' found | grep -v 'Race on .*unguarded' || fail "conditions $racy, $policy: $(cat found)"
        ! grep -q 'Race on .*unguarded' found || loud=$((loud + 1))
    done
    case $racy in
    -DRACY) [ $loud -ge 1 ] ;;
    *) [ $loud = 0 ] ;;
    esac || fail "conditions $racy: found $loud times"
done
