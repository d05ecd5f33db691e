#!/usr/bin/env bash
# Programs in which a dependence that is left out would make a false race, on `quiet` (quiet/*.c), and one that is too
# many would hide a race on `loud0` and so on.
# Environment: HEDDLE, TESTS, TMP_DIR.
set -eu
work=$TMP_DIR/pass-quiet
rm -rf "$work" && mkdir -p "$work" && cd "$work"
lib=$(dirname "$HEDDLE")/lib/heddle
[ -e "$lib/libheddle_rt.so" ] && compgen -G "$lib/heddle-pass-*.so" >/dev/null || { echo "no pass or runtime"; exit 77; }

for source in "$TESTS"/pass/quiet/*.c; do
    needs=$(sed -n 's/.*needs: \(-[a-z0-9]*\).*/\1/p' "$source")
    for level in 0 1 2; do
        name=$(basename "$source" .c)-O$level
        # shellcheck disable=SC2086
        "$HEDDLE" cc -O$level -pthread $needs "$source" -o "$name"
        "$HEDDLE" record -q -o "$name.hdt" -- "./$name"
        "$HEDDLE" trace check "$name.hdt" >check
        "$HEDDLE" analyze "$name.hdt" >found || [ $? = 66 ]
        grep -q '; 0 undecided' found || { cat found; exit 1; }
        ! grep 'Race on quiet' found || { echo "$name: a false race"; exit 1; }
        for loud in $(grep -o '\<loud[0-9]' "$source" | sort -u); do
            grep -q "Race on $loud" found || { echo "$name: the race on $loud is missed"; exit 1; }
        done
        "$HEDDLE" trace cat "$name.hdt" | grep -q 'w(quiet' || "$HEDDLE" trace cat "$name.hdt" | grep -q 'r(quiet' ||
            { echo "$name: nothing was touched"; exit 1; }
    done
done
