#!/usr/bin/env bash
# Branches on reads that an earlier branch already depended on are left out; all others are there.
set -u
work=$TMP_DIR/record/branches
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL branches: $*; see $work" >&2
    exit 1
}
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 0
cat >loops.c <<'END'
int n = 10, out[20];
__attribute__((noinline)) static void once(void)
{
    int k = n;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < k; i++)
        ((volatile int *)out)[i] = i;
}
__attribute__((noinline)) static void each(void)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < *(volatile int *)&n; i++)
        ((volatile int *)out)[i] = i;
}
int main(void)
{
    once();
    each();
    once();
    return 0;
}
END
"$HEDDLE" cc -O1 loops.c -o loops || fail "the build"
"$HEDDLE" record -o t.hdt -- ./loops >out 2>&1 || fail "$(cat out)"
"$HEDDLE" trace check t.hdt >out 2>&1 || fail "$(cat out)"
"$HEDDLE" trace cat --keep-all-events t.hdt >t.txt || fail "cat"
count() {
    awk -F'|' -v from="$1" -v to="$2" '$2 == "br" { sub(/.*:/, "", $3); if ($3 + 0 >= from && $3 + 0 <= to) n++ } END { print n + 0 }' t.txt
}
# The loop may have a branch before it and one at its end.
[ "$(count 2 8)" -ge 2 ] && [ "$(count 2 8)" -le 4 ] || fail "once: $(count 2 8) branches for two reads"
[ "$(count 9 14)" = 11 ] || fail "each: $(count 9 14) branches, not one for each read"
