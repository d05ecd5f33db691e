#!/usr/bin/env bash
# A signal from outside comes to a thread that sleeps under the scheduler, and wakes it at once.
# Environment: HEDDLE, TMP_DIR.
set -eu
here=$(cd "$(dirname "$0")/outside" && pwd)
work=$TMP_DIR/record-signalled
rm -rf "$work" && mkdir -p "$work" && cd "$work"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

"$HEDDLE" cc -O1 -pthread "$here/signalled.c" -o signalled
mkfifo lines
"$HEDDLE" record -q --timeout 30s -o signalled.hdt -- ./signalled >lines &
pid=$!
while read -r line; do
    [ "$line" = ready ] || break
    sleep 0.05
    kill -USR1 $pid
done <lines
wait $pid || fail "exit $?: a signal did not wake the program"
[ "$line" = end ] || fail "the program did not come to its end"
"$HEDDLE" trace check signalled.hdt
