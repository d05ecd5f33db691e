#!/usr/bin/env bash
# Reduction by ownership changes no answer (docs/algorithms/building.md): random programs, examples, and a process that forks,
# with the accesses that threads share as events and with all of them. The same pairs of lines race, as much is undecided.
# HEDDLE_TEST_SEEDS="FROM TO" chooses the programs. HEDDLE, TESTS, TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
read -r from to <<<"${HEDDLE_TEST_SEEDS:-101 112}"
work=$TMP_DIR/differential-reduced
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cc -O1 "$TESTS/differential/generate.c" -o generate || exit 1
failed=0 races=0 fewer=0

# answer FILE: pairs of lines that race, and how much is undecided
answer() {
    "$HEDDLE" analyze -q -j 1 "$1" >analyze.out 2>analyze.err
    awk '/^  (read|write|atomic|free).* by .* at .*:[0-9]+ / { match($0, /:[0-9]+ /); line = substr($0, RSTART + 1, RLENGTH - 2)
             if (first) { print (first + 0 < line + 0 ? first " " line : line " " first); first = 0 } else first = line }
         match($0, /[0-9]+ undecided/) { print substr($0, RSTART, RLENGTH) }' analyze.out | sort -u
}

compare() { # WHAT: t.hdt, as it is and with all events
    answer t.hdt >reduced
    "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
    answer all.hdt >all
    [ -s reduced ] && cmp -s reduced all || { echo "$1: with all events, and reduced: $(diff all reduced)"; failed=1; }
    "$HEDDLE" trace convert -q t.hdt less.hdt || failed=1
    races=$((races + $(grep -vc undecided all)))
    [ "$(stat -c %s less.hdt)" -ge "$(stat -c %s all.hdt)" ] || fewer=$((fewer + 1))
}

# 301: what several tokens say together of suspected memory was lost to the sieve.
for seed in $(seq "$from" "$to") 301; do
    form=
    [ $((seed % 2)) -ne 0 ] || form=free
    ./generate "$seed" $form >p.c && "$HEDDLE" cc -g -O$((seed % 3)) p.c -o p 2>build.err || { cat build.err; exit 1; }
    for options in "--policy fifo" "--policy random --quantum 4 --seed $seed"; do
        # shellcheck disable=SC2086
        timeout 60 "$HEDDLE" record -q $options -o t.hdt -- ./p >out 2>err </dev/null
        compare "seed $seed, $options"
        # The same with memory that is handed over left out, however little there is of it.
        # shellcheck disable=SC2086
        HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q $options -o t.hdt -- ./p >out 2>err </dev/null
        compare "seed $seed, $options, handed over"
        # shellcheck disable=SC2086
        HEDDLE_WHOLE_LOG=1 HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q $options -o whole.hdt -- ./p >out 2>err </dev/null
        cmp -s <("$HEDDLE" trace cat t.hdt) <("$HEDDLE" trace cat whole.hdt) || { echo "seed $seed, $options: the sieve changes the trace"; failed=1; }
    done
done
for source in "$TESTS"/../examples/*.c; do
    "$HEDDLE" cc -g "$source" -o p 2>build.err || { cat build.err; exit 1; }
    timeout 60 "$HEDDLE" record -q -o t.hdt -- ./p >out 2>err </dev/null
    compare "$(basename "$source")"
done
[ $races -gt 0 ] && [ $fewer -gt 0 ] || { echo "$races races, $fewer traces got smaller: the comparison says nothing"; failed=1; }

# What was asked for the first process holds for those that it forks.
cat >forks.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status = 0;
    int *own = malloc(sizeof *own);
    if (fork() == 0) {
        *own = 7;
        _exit(*own != 7);
    }
    wait(&status);
    free(own);
    return status;
}
END
"$HEDDLE" cc -g forks.c -o forks 2>build.err || { cat build.err; exit 1; }
"$HEDDLE" record -q -o f.hdt -- ./forks 2>err || { cat err; failed=1; }
"$HEDDLE" record -q --keep-all-events -o k.hdt -- ./forks 2>err || { cat err; failed=1; }
writes() {
    "$HEDDLE" trace cat "$@" | grep -c '|w(heap.*forks.c:9'
}
[ "$(writes f.child1.hdt)" = 0 ] && [ "$(writes --keep-all-events f.child1.hdt)" = 1 ] && [ "$(writes k.child1.hdt)" = 1 ] ||
    { echo "forked: $(writes f.child1.hdt), $(writes --keep-all-events f.child1.hdt), $(writes k.child1.hdt) writes"; failed=1; }
echo "$races races; $fewer traces got smaller"
exit $failed
