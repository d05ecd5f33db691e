#!/usr/bin/env bash
# Long runs: memory stays as it is, --limit keeps a prefix, the program runs on unchanged.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/record/long
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL long: $*; see $work" >&2
    exit 1
}
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 0
cc -O1 "$here/../../bench/real/measure.c" -o measure || fail "measure.c"
"$HEDDLE" cc -O2 -pthread "$here/../../bench/record/list.c" -o list || fail "the build"

# Twenty million events: sixty megabytes of log. The peak is that of heddle and of the program, whichever is larger.
./measure peak "$HEDDLE" record -o long.hdt -- ./list 2 >long.out 2>long.err || fail "$(cat long.err)"
events=$(sed -nE 's/.*: ([0-9]+) events.*/\1/p' long.err)
[ "$events" -gt 15000000 ] || fail "only $events events"
read -r _ _ own family <peak
[ "$family" -lt 200000 ] && [ "$own" -lt 200000 ] || fail "memory: $own and $family KB"
[ $(($(stat -c %s long.hdt) / 3)) -le "$events" ] || fail "$(stat -c %s long.hdt) bytes for $events events"
rm -f long.hdt

"$HEDDLE" record --limit 20000 -o part.hdt -- ./list 2 >part.out 2>part.err || fail "$(cat part.err)"
cmp -s long.out part.out || fail "with a limit the program's output differs"
grep -q ' 20000 events' part.err || fail "no word about the limit: $(cat part.err)"
[ "$(stat -c %s part.hdt)" -lt 4000000 ] || fail "a limited recording of $(stat -c %s part.hdt) bytes"
"$HEDDLE" trace check part.hdt >check.out 2>&1 || fail "$(cat check.out)"
grep -q '20000 events' check.out || fail "who reads it is not told that it is a prefix: $(cat check.out)"
"$HEDDLE" record --limit 0 -o all.hdt -- ./list 0 2>all.err || fail "$(cat all.err)"
"$HEDDLE" record --limit x -o no.hdt -- ./list 0 2>no.err
[ $? -eq 2 ] && [ ! -e no.hdt ] || fail "--limit x was taken"
