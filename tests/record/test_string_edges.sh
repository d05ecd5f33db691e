#!/usr/bin/env bash
# The runtime's memory and string functions, in a recorded program (edges/strings.c).
# Environment: HEDDLE, TMP_DIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/record/string_edges
rm -rf "$work" && mkdir -p "$work" && cd "$work"
for level in 0 2; do
    $HEDDLE cc -O$level -fno-builtin -D_GNU_SOURCE -pthread "$here/edges/strings.c" -o strings
    $HEDDLE record -o t.hdt -- ./strings >out 2>err || { cat out err; exit 1; }
    grep -q '^[0-9]* cases, 0 wrong$' out || { cat out; exit 1; }
    $HEDDLE trace check t.hdt >/dev/null
done
