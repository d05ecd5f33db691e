#!/usr/bin/env bash
# Random programs of one or two bytes of input (random.c) against all their inputs, at three levels of optimisation:
#   every run of the search writes what the same input writes without it;
#   every generated input takes the path that it was made for, unless a value was made concrete;
#   a search that says it is complete has taken every path that any input takes;
#   with pruning the search covers the same branches.
# Environment: SEEDS (a list), or FIRST and COUNT; LEVELS.
. "$SOURCE/common.sh" || exit 1
enter "${RANDOM_NAME:-random}"
cc -o random "$SOURCE/random.c" || exit 1
clang=$(command -v clang-14 || command -v clang) # orders of evaluation are those of the program
levels=${LEVELS:-0 1 2}
complete=0 all=0 pruned=0

against_all_inputs() { # NAME: the logs of the runs in NAME.d against reference.txt
    cat "$1".d/test*.out | LC_ALL=C sort -u >"$1.logs"
    check "$1: runs that do what the program does not" "" "$(LC_ALL=C comm -23 "$1.logs" reference.txt | head -n 3)"
    [ "$(field "$1" '[.concretised[]] | add')" != 0 ] || check "$1: runs that went elsewhere" 0 "$(field "$1" .diverged)"
    check "$1: damaged expressions" 0 "$(field "$1" .damaged)"
    [ "$(field "$1" .complete)" = true ] || return
    complete=$((complete + 1))
    cut -d' ' -f2- "$1.logs" | LC_ALL=C sort -u >"$1.paths"
    check "$1: paths that a complete search missed" "" "$(LC_ALL=C comm -13 "$1.paths" paths.txt | head -n 3)"
}

for seed in ${SEEDS:-$(seq "${FIRST:-1}" $((${FIRST:-1} + ${COUNT:-2} - 1)))}; do
    ./random "$seed" >"$seed.c"
    "$clang" -w -O1 -DREFERENCE -I"$SOURCE/../../include" -pthread "$seed.c" -o reference && ./reference >reference.out || exit 1
    LC_ALL=C sort reference.out >reference.txt
    cut -d' ' -f2- reference.out | LC_ALL=C sort -u >paths.txt
    for level in $levels; do
        name=$seed-O$level
        all=$((all + 1))
        build "$name" -w -O"$level" -I"$SOURCE/../../include" "$seed.c"
        hunt "$name" --input none --no-predict --no-prune --keep-all --max-paths "${MAX_PATHS:-150}" -- "./$name"
        against_all_inputs "$name"
        if [ "$(field "$name" .complete)" = true ] && [ $((seed % 3)) = 0 ]; then
            build "$name-p" -w -DNO_LOG -O"$level" -I"$SOURCE/../../include" "$seed.c"
            hunt "$name-n" --input none --no-predict --no-prune -- "./$name-p"
            hunt "$name-p" --input none --no-predict -- "./$name-p"
            check "$name: branches missed by pruning" "$(field "$name-n" '.not_covered | join("; ")')" \
                "$(field "$name-p" '.not_covered | join("; ")')"
            check "$name: pruning has an end" true "$(field "$name-p" .complete)"
            pruned=$((pruned + $(field "$name-p" .pruned)))
        fi
        rm -rf "$name".d "$name" "$name-p".d "$name-n".d "$name-p"
    done
done
echo "$complete of $all searches were complete; $pruned paths were cut"
[ "$complete" -gt 0 ] || check "complete searches" "some" 0
finish
