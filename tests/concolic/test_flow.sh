#!/usr/bin/env bash
# 19 control and data flow variants, the variable global and on the stack, faulty and correct. With HEDDLE_TEST_LONG all
# 76 programs, with loops of a million rounds as the published test programs have; otherwise 38 of them, global and stack
# in turn, with short loops. Race-free programs are searched to the end.
. "$SOURCE/common.sh" || exit 1
enter flow
rounds=20 places="global stack"
[ -z "${HEDDLE_TEST_LONG:-}" ] || rounds=${ROUNDS:-1000000} HUNT_SECONDS=3000
number=0
for variant in $("$SOURCE/flow.sh" list); do
    number=$((number + 1))
    [ -n "${HEDDLE_TEST_LONG:-}" ] || { [ $((number % 2)) = 0 ] && places=global || places=stack; }
    for place in $places; do
        for kind in faulty correct; do
            name=$variant-$place-$kind
            "$SOURCE/flow.sh" "$variant" "$place" "$kind" "$name.src"
            build "$name" -O0 -DROUNDS=$rounds "$name.src"/*.c
            hunt "$name" --input argv:1 --size 1 --first -- "./$name" a
            want=66
            [ $kind = faulty ] || want=0
            check "$name" "$want" "$status"
            [ $kind = faulty ] || check "$name was searched to the end" true "$(field "$name" .complete)"
            check "$name expressions are sound" 0 "$(field "$name" .damaged)"
            rm -rf "$name.d" "$name"
        done
    done
done
finish
