#!/usr/bin/env bash
# Races behind a parsed number, a string compare, a checksum, a state machine, a configuration file: every faulty
# program is found, no correct one is reported, and the race is confirmed by a replay with the input that was found.
. "$SOURCE/common.sh" || exit 1
enter programs
for source in "$SOURCE"/programs/*.c; do
    name=$(basename "$source" .c)
    words=$(sed -n 's|.*HUNT: ||p' "$source" | sed 's| \*/$||')
    sed -n 's|.*FILE prog.conf: ||p' "$source" | sed 's| \*/$||' >prog.conf
    for kind in faulty correct; do
        prog=$name-$kind
        define=-DFAULTY
        [ $kind = faulty ] || define=-DCORRECT
        build "$prog" -O1 $define "$source"
        if [ $kind = faulty ]; then
            hunt "$prog" --first ${words/PROGRAM/./$prog}
            check "$prog finds a race" 66 "$status"
            check "$prog race" race "$(field "$prog" '.findings[0].kind')"
            "$HEDDLE" replay --times 3 "$(field "$prog" '.findings[0].witness')" >"$prog.replay" 2>&1
            check "$prog is confirmed" 66 "$?"
        else
            hunt "$prog" --budget 8s ${words/PROGRAM/./$prog}
            check "$prog reports nothing" 0 "$status"
        fi
        check "$prog expressions are sound" 0 "$(field "$prog" .damaged)"
        # One run in twenty may go elsewhere: library code without a model has its own mind.
        check "$prog runs go where they should" true "$(field "$prog" '.diverged * 20 <= .paths')"
    done
done
finish
