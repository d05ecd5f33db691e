#!/usr/bin/env bash
# A race behind every library function that has a model (models.c): found in the faulty program, none in the correct one,
# which is searched to the end where that takes few paths. Nothing is lost on the way. The functions take turns at -O0 and
# -O2; in the long run each has both.
. "$SOURCE/common.sh" || exit 1
enter models
names=$(sed -n 's/^MODEL(\([a-z_0-9]*\))$/\1/p' "$SOURCE/models.c")
[ "$(wc -w <<<"$names")" -gt 20 ] || check "models in models.c" "many" "few"
for level in ${LEVELS:-0 2}; do
    build faulty -O"$level" -D_GNU_SOURCE -I"$SOURCE/../../include" "$SOURCE/models.c"
    turn=$level
    for name in ${NAMES:-$names}; do
        turn=$((2 - turn))
        [ -n "${HEDDLE_TEST_LONG:-}${NAMES:-}" ] || [ $turn = 0 ] || continue
        hunt "$name$level" --input none --first --order coverage --times 1 --max-paths 400 -- ./faulty "$name"
        check "-O$level $name: the race is found" race "$(field "$name$level" '.findings[0].kind')"
        check "-O$level $name: confirmed" confirmed "$(field "$name$level" '.findings[0].status')"
        check "-O$level $name: nothing is lost" 0 "$(field "$name$level" '[.concretised[]] | add')"
        check "-O$level $name: runs go where they should" 0 "$(field "$name$level" .diverged)"
        rm -rf "$name$level.d"
    done
done
build correct -O1 -DCORRECT -D_GNU_SOURCE -I"$SOURCE/../../include" "$SOURCE/models.c"
for name in ${NAMES:-$names}; do
    hunt "$name-c" --input none --max-paths 30 -- ./correct "$name"
    check "$name: the correct program has no race" 0 "$(field "$name-c" '.findings | length')"
    rm -rf "$name-c.d"
done
finish
