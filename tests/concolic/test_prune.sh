#!/usr/bin/env bash
# Pruning: the same branch outcomes are covered with fewer paths, and the race is found with and without it.
. "$SOURCE/common.sh" || exit 1
enter prune

both() { # NAME ARGUMENTS...: searches to the end with and without pruning
    local name=$1
    shift
    hunt "$name-cut" "$@"
    hunt "$name-all" --no-prune "$@"
    for way in cut all; do
        check "$name-$way was searched to the end" true "$(field "$name-$way" .complete)"
        check "$name-$way went where it should" 0 "$(field "$name-$way" .diverged)"
    done
    check "$name coverage" "$(field "$name-all" .covered)" "$(field "$name-cut" .covered)"
    check "$name findings" "$(field "$name-all" '[.findings[].text] | sort | unique | tostring')" \
        "$(field "$name-cut" '[.findings[].text] | sort | unique | tostring')"
    echo "$name: $(field "$name-cut" .paths) paths of $(field "$name-all" .paths), $(field "$name-cut" .covered) outcomes"
}

# Six checks that only print: 64 paths, of which the first run and one for each check are needed.
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
build checks -O0 -DFAULTY -I"$SOURCE/programs" checks.c
both checks --input argv:1 --size 6 -- ./checks abcdef
few=$(field checks-cut '.paths * 3 < 64')
check "checks: fewer paths" true "$few"

# What the branches do decides later ones: nothing may be lost. `mode` is state, so paths with another mode stay.
cat >modes.c <<'END'
#include "work.h"
int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "";
    int mode = 0;
    if (s[0] == 'm')
        mode = 2;
    if (s[1] == 'n')
        puts("n");
    if (s[2] > 'p') {
        if (mode == 2)
            work();
        else
            puts("p");
    }
    return 0;
}
END
for level in 0 1 2; do
    build modes -O$level -DFAULTY -I"$SOURCE/programs" modes.c
    both modes-O$level --input argv:1 --size 3 -- ./modes aaa
    check "modes -O$level finds the race" race "$(field modes-O$level-cut '.findings[0].kind')"
done

# An infeasible branch is the reason that must hold again: with x known to be small the last branch cannot be taken, with
# x free it can.
cat >reason.c <<'END'
#include "work.h"
int main(int argc, char **argv)
{
    const unsigned char *s = (unsigned char *)(argc > 1 ? argv[1] : "");
    int x = s[0];
    if (x < 10)
        puts("small");
    if (s[1] == 'q')
        puts("q");
    if (x > 100)
        work();
    return 0;
}
END
build reason -O0 -DFAULTY -I"$SOURCE/programs" reason.c
both reason --input argv:1 --size 2 -- ./reason $'\x05b'
check "reason finds the race" race "$(field reason-cut '.findings[0].kind')"
finish
