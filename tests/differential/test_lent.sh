#!/usr/bin/env bash
# Stretches in which a thread works alone on memory of its stack that it has lent before leave no events, and no answer changes
# (docs/algorithms/building.md, "Memory that is lent"; "Memory that one thread writes"): random programs, with and without all events, by the sieve and by the whole log.
# HEDDLE_TEST_SEEDS="FROM TO" chooses the programs. HEDDLE, TESTS, TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
read -r from to <<<"${HEDDLE_TEST_SEEDS:-1 16}"
work=$TMP_DIR/differential-lent
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cc -O1 "$TESTS/differential/generate_lent.c" -o generate || exit 1
failed=0 findings=0 stretches=0

# answer FILE: the lines of each race and atomicity violation, and how much is undecided
answer() {
    "$HEDDLE" analyze -q -j 1 --property race,atomicity "$1" >analyze.out 2>analyze.err
    awk 'function flush() { if (lines) print kind, (kind == "Race" && n == 2 && a[1] + 0 > a[2] + 0 ? a[2] " " a[1] : lines); lines = ""; n = 0 }
         /^[0-9]+\. / { flush(); kind = $2 }
         /^  (read|write|atomic|free).* by .* at .*:[0-9]+ / { match($0, /:[0-9]+ /); a[++n] = substr($0, RSTART + 1, RLENGTH - 2); lines = lines (n > 1 ? " " : "") a[n] }
         match($0, /[0-9]+ undecided/) { flush(); print substr($0, RSTART, RLENGTH) }' analyze.out | sort | uniq
}

for seed in $(seq "$from" "$to"); do
    ./generate "$seed" >p.c && "$HEDDLE" cc -w -g -O$((seed % 2)) p.c -o p 2>build.err || { cat build.err; exit 1; }
    for options in "--policy fifo" "--policy random --quantum $((4 + seed % 5 * 9)) --seed $seed"; do
        # The environment has the same length both times, so that the stack is where it was.
        # shellcheck disable=SC2086
        HEDDLE_SIFTED__L=1 HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q $options -o t.hdt -- ./p >out 2>err </dev/null
        # shellcheck disable=SC2086
        HEDDLE_WHOLE_LOG=1 HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q $options -o whole.hdt -- ./p >out 2>err </dev/null
        HD_LOG=build:debug "$HEDDLE" trace cat t.hdt >t.txt 2>log
        n=$(sed -nE 's/.* ([0-9]+) stretches lent.*/\1/p' log)
        stretches=$((stretches + ${n:-0}))
        cmp -s t.txt <("$HEDDLE" trace cat whole.hdt) || { echo "seed $seed, $options: the sieve changes the trace"; failed=1; }
        "$HEDDLE" trace check -q t.hdt >out 2>&1 || { echo "seed $seed, $options: $(cat out)"; failed=1; }
        answer t.hdt >reduced
        "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
        answer all.hdt >all
        [ -s reduced ] && cmp -s reduced all || { echo "seed $seed, $options: with all events, and reduced: $(diff all reduced)"; failed=1; }
        findings=$((findings + $(grep -vc undecided all)))
    done
done

# compare FILE RULE LEAST [OBJECT]: one program for each condition. What races and violations there are, at least so many (none if
# LEAST is 0), the reduced trace has, and no others.
compare() {
    "$HEDDLE" cc -g -O1 -DRULE="$2" "$TESTS/differential/$1" ${4:+"$4"} -o p 2>build.err || { cat build.err; exit 1; }
    HEDDLE_SIFTED__L=1 HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q -o t.hdt -- ./p >out 2>err </dev/null || failed=1
    HEDDLE_WHOLE_LOG=1 HEDDLE_HANDED_FROM=1 timeout 60 "$HEDDLE" record -q -o whole.hdt -- ./p >out 2>err </dev/null || failed=1
    cmp -s <("$HEDDLE" trace cat t.hdt) <("$HEDDLE" trace cat whole.hdt) || { echo "$1, rule $2: the sieve changes the trace"; failed=1; }
    answer t.hdt >reduced
    "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
    answer all.hdt >all
    [ -s all ] && cmp -s reduced all || { echo "$1, rule $2: with all events, and reduced: $(diff all reduced)"; failed=1; }
    n=$(grep -vc undecided all)
    [ "$n" -ge "$3" ] && { [ "$3" -gt 0 ] || [ "$n" -eq 0 ]; } || { echo "$1, rule $2: $n findings"; failed=1; }
}
cc -O1 -DOUTSIDE -c "$TESTS/differential/sole_rules.c" -o outside.o || exit 1
for rule in 2:0 3:0 4:3 5:3 6:3 7:3 8:3 9:2 10:4; do
    compare lent_rules.c ${rule%:*} ${rule#*:}
done
for rule in 1:1 2:1 3:1 4:1 5:2; do
    compare sole_rules.c ${rule%:*} ${rule#*:} outside.o
done
for rule in 1:1 2:0 3:1; do
    compare quick_rules.c ${rule%:*} ${rule#*:}
done
for rule in 1:0 2:0 3:1 4:1 5:2 7:2; do
    compare wide_rules.c ${rule%:*} ${rule#*:}
    compare wide_rules.c ${rule%:*} ${rule#*:} -O0
done
compare wide_rules.c 6 2 outside.o
[ $findings -gt 0 ] && [ $stretches -gt 0 ] || { echo "$findings findings, $stretches stretches: the comparison says nothing"; failed=1; }
echo "$findings findings; $stretches stretches"
exit $failed
