#!/usr/bin/env bash
# 19 control and data flow variants, the variable global and on the stack, faulty and correct: 76 programs. With
# HEDDLE_TEST_LONG their loops have a million rounds as the published test programs have, otherwise few. Race-free
# programs are searched to the end.
. "$SOURCE/common.sh" || exit 1
enter flow
rounds=20
[ -z "${HEDDLE_TEST_LONG:-}" ] || rounds=${ROUNDS:-1000000} HUNT_SECONDS=3000
# The other two files are the same in every program.
"$SOURCE/flow.sh" baseline global correct src
for file in other third; do
    build $file.o -c -O0 src/$file.c
done

one() { # VARIANT PLACE KIND
    local name=$1-$2-$3 want=66
    "$SOURCE/flow.sh" "$1" "$2" "$3" "$name.src"
    cmp -s "$name.src/other.c" src/other.c && cmp -s "$name.src/third.c" src/third.c || check "$name: files" same other
    build "$name" -O0 -DROUNDS=$rounds "$name.src/main.c" other.o third.o
    hunt "$name" --input argv:1 --size 1 --first --times 0 -- "./$name" a
    [ "$3" = faulty ] || want=0
    check "$name" "$want" "$status"
    [ "$3" = faulty ] || check "$name was searched to the end" true "$(field "$name" .complete)"
    check "$name expressions are sound" 0 "$(field "$name" .damaged)"
    rm -rf "$name.d" "$name" "$name.src"
}

for variant in $("$SOURCE/flow.sh" list); do
    for place in global stack; do
        for kind in faulty correct; do
            one "$variant" $place $kind
        done
    done
done
finish
