#!/usr/bin/env bash
# A search in shares: each path is looked into by exactly one of them, with and without pruning the shares together find
# and cover what one search does.
. "$SOURCE/common.sh" || exit 1
enter shares
cat >doors.c <<'END'
#include "work.h"
int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "";
    int open = 0;
    for (int i = 0; i < 6; i++)
        if (s[i] == 'o')
            open |= 1 << i;
    if (open == 0x2d)
        work();
    if (s[0] == 'x' && open == 0x30)
        abort();
    return open == 0x12 && s[0] > 'o' && s[5] < 'c';
}
END
cat >checks.c <<'END'
#include "work.h"
int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 6; i++)
        if (s[i] == '-')
            puts("dash");
    if (s[0] == '-' && s[5] == 'x')
        work();
    return 0;
}
END
found() { jq -rs '[.[].findings[].text] | sort | unique | tostring' "$@"; }
missed() { # what no search has covered: in the lists of all
    local n=$#
    jq -r '.not_covered[]' "$@" | sort | uniq -c | awk -v n="$n" '$1 == n' | wc -l
}
for name in doors checks; do
    build $name -O0 -DFAULTY -I"$SOURCE/programs" $name.c
    prune=--no-prune # every combination of doors counts; of the checks most are cut
    [ $name = doors ] || prune=
    words=($prune --input argv:1 --size 6 --times 1 -- ./$name abcdef)
    hunt $name "${words[@]}"
    check "$name is searched to the end" true "$(field $name .complete)"
    for n in 2 5; do
        all=()
        for ((i = 1; i <= n; i++)); do
            hunt $name-$n-$i --shard $i/$n "${words[@]}"
            check "$name: share $i of $n is searched to the end" true "$(field $name-$n-$i .complete)"
            all+=("$name-$n-$i.json")
        done
        check "$name: findings of $n shares" "$(found $name.json)" "$(found "${all[@]}")"
        check "$name: coverage of $n shares" "$(missed $name.json)" "$(missed "${all[@]}")"
        [ $name = doors ] || continue
        check "paths of $n shares" "$(field doors .paths)" "$(jq -s 'map(.paths - .others) | add' "${all[@]}")"
        check "no share of $n runs them all" true "$(jq -s --argjson all "$(field doors .paths)" 'map(.paths) | max < $all' "${all[@]}")"
    done
done
check "doors has a race and a crash" 2 "$(field doors '.findings | length')"
check "paths are cut" true "$(field checks '.pruned > 0')"
"$HEDDLE" hunt --shard 3/2 -- ./doors abcdef >/dev/null 2>&1
check "a share that is none" 2 $?
finish
