#!/usr/bin/env bash
# Figures of the search over inputs: bench/concolic/run.sh [BUILD] [ROUNDS]. Prints CSV rows, as the header says; wall times
# depend on the machine and its load, paths and counts do not.
#   slowdown     user time of the concolic build, recorded without input, against the plain build, recorded
#   search       a program of tests/concolic: paths/s, share of the solver, outcomes covered, seconds to the first race
#   prune        paths to cover everything, with and without pruning
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$here/build}" && pwd)
rounds=${2:-100000}
heddle=$build/heddle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
programs=$here/tests/concolic/programs
echo "kind,name,a,b,c,d,e"

user_seconds() { # COMMAND...: user seconds of the command and its children, the least of 5
    local best=999999 t
    for _ in 1 2 3 4 5; do
        t=$( { TIMEFORMAT=%U; time "$@" >/dev/null 2>&1; } 2>&1)
        best=$(awk -v a="$best" -v b="$t" 'BEGIN { print a < b ? a : b }')
    done
    echo "$best"
}

"$here/tests/concolic/flow.sh" baseline global correct src
cat >compute.c <<'END'
#include <pthread.h>
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS 100000
#endif
static int table[1024], sum;
static void *run(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        int k = (i * 7 + (int)(long)p) & 1023;
        table[k] = table[k] * 3 + i;
        if (table[k] & 1)
            sum += k;
    }
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, (void *)1);
    pthread_join(t, NULL);
    run((void *)2);
    printf("%d\n", sum);
    return 0;
}
END
for level in 0 2; do
    for program in flow compute; do
        sources=compute.c
        [ $program = compute ] || sources=$(echo src/*.c)
        "$heddle" cc -O$level -DROUNDS="$rounds" $sources -o plain
        "$heddle" cc --concolic -O$level -DROUNDS="$rounds" $sources -o concolic
        a=$(user_seconds "$heddle" record -q -o t.hdt -- ./plain a)
        b=$(user_seconds "$heddle" record -q -o t.hdt -- ./concolic a)
        c=$(user_seconds ./plain a)
        d=$(user_seconds ./concolic a)
        echo "slowdown,$program-O$level,recorded plain $a,recorded concolic $b,ratio $(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", b / a }'),unrecorded plain $c,unrecorded concolic $d"
    done
done

for source in "$programs"/*.c; do
    name=$(basename "$source" .c)
    words=$(sed -n 's|.*HUNT: ||p' "$source" | sed 's| \*/$||')
    sed -n 's|.*FILE prog.conf: ||p' "$source" >prog.conf
    "$heddle" cc --concolic -O1 -DFAULTY "$source" -o "$name"
    rm -rf d
    "$heddle" hunt --quiet --json --first -o d ${words/PROGRAM/./$name} </dev/null >"$name.json" || true
    jq -r --arg n "$name" '"search,\($n),\(.paths) paths,\(.paths / .seconds * 10 | round / 10)/s,solver \(100 * .solver_seconds / .seconds | round)%,\(.covered) of \(.outcomes) outcomes,first race \(.first_race_seconds) s"' "$name.json"
done

cat >checks.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 6; i++)
        if (s[i] == '-')
            puts("dash");
    return s[0] == '-' && s[5] == 'x';
}
END
"$heddle" cc --concolic -O0 checks.c -o checks
for way in "" --no-prune; do
    rm -rf d
    "$heddle" hunt --quiet --json $way -o d --input argv:1 --size 6 -- ./checks abcdef </dev/null >checks.json
    jq -r --arg n "checks${way:+ $way}" '"prune,\($n),\(.paths) paths,\(.covered) of \(.outcomes) outcomes,\(.questions) questions,\(.infeasible) infeasible,complete \(.complete)"' checks.json
done
