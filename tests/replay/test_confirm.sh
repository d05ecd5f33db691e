#!/usr/bin/env bash
# Every race predicted in mix.c, built in three ways, is confirmed twenty of twenty times.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start confirm
cp "$TESTS/replay/mix.c" .
build_all mix
for run in "pass fifo 1" "pass random 5" "clang fifo 1" "gcc random 3"; do
    set -- $run
    "$HEDDLE" record -q -o "$1.hdt" --policy "$2" --seed "$3" --quantum 10 -- "./$1" >/dev/null 2>&1 </dev/null ||
        fail "recording $run"
    confirm "$1.hdt" >problems || fail "$run: $(cat problems)"
    [ "$confirmed" -ge 6 ] || fail "$run: only $confirmed races"
done
# Who joins a thread waits for the branches at its end.
"$HEDDLE" cc -g -O0 "$TESTS/replay/joined.c" -o joined -pthread || fail "heddle cc"
"$HEDDLE" record -q -o joined.hdt -- ./joined >/dev/null 2>&1 </dev/null || fail "recording joined"
confirm joined.hdt >problems || fail "joined: $(cat problems)"
[ "$confirmed" -ge 1 ] || fail "joined: no race"

# A thread whose accesses are all left out of the trace is joined between two others.
"$HEDDLE" cc -g -O1 "$TESTS/../bench/recall/early_result.c" -o early -pthread || fail "heddle cc"
"$HEDDLE" record -q -o early.hdt -- ./early >/dev/null 2>&1 </dev/null || fail "recording early"
confirm early.hdt >problems || fail "early: $(cat problems)"
[ "$confirmed" -ge 1 ] || fail "early: no race"
# What is left out because it was decided before is the same in every run.
"$HEDDLE" cc -g -O1 "$TESTS/replay/decided.c" -o decided -pthread || fail "heddle cc"
"$HEDDLE" record -q -o decided.hdt -- ./decided >/dev/null 2>&1 </dev/null || fail "recording decided"
confirm decided.hdt >problems || fail "decided: $(cat problems)"
[ "$confirmed" -ge 1 ] || fail "decided: no race"
# A thread is not stopped between two things that one call told it, though the one was true before the other. The
# schedule lets main close the pipe after the worker has seen that there is nothing to read, and before it sees the end.
"$HEDDLE" cc -g -O0 "$TESTS/replay/looks.c" -o looks -pthread || fail "heddle cc"
"$HEDDLE" record -q --keep-all-events -o looks.hdt -- ./looks >/dev/null 2>&1 </dev/null || fail "recording looks"
"$HEDDLE" analyze -q looks.hdt --witness-dir looks.d >looks.txt
pair=$(sed -n 's/.*"pair": \[\([0-9]*\),.*/\1/p' looks.d/witness*.json) # main's access: it runs all that comes before
closes=$("$HEDDLE" trace cat looks.hdt | grep -v '^[!#]' |
    awk -v pair="$pair" '/^T1[|]sem/ { on = 1 } NR < pair && on && /^T1[|]/ { printf "%s, ", NR }')
ends=$("$HEDDLE" trace cat looks.hdt | grep -v '^[!#]' | awk '/T1.1[|]ar.*#closed/ { print NR ", " }')
next=$("$HEDDLE" trace cat looks.hdt | grep -v '^[!#]' | awk '/T1[|]r\(x,/ { print NR ", " }') # when the pair is the write
sed -E "s/$closes(($next)?)(.*, )$ends/\\3$closes\\1$ends/" looks.d/*.json >looks.d/cut.json
cmp -s looks.d/cut.json looks.d/witness*.json && fail "looks: the schedule is the same"
timeout -k 5 120 "$HEDDLE" replay looks.d/cut.json --times 3 >looks.out 2>&1 </dev/null
grep -q '^6 of 6 executions confirmed' looks.out || fail "looks: $(cat looks.out)"
# Accesses inside of calls; one order of two reads from a pipe cannot be shown, since it takes other bytes.
"$HEDDLE" cc -g -O1 "$TESTS/replay/inside.c" -o inside -pthread || fail "heddle cc"
for policy in fifo random pct; do
    "$HEDDLE" run -q -o "inside-$policy" --json=inside.json --policy $policy --runs 1 -- ./inside >/dev/null 2>inside.err </dev/null
    code=$?
    [ $code -eq 66 ] || fail "inside, $policy: exit $code: $(cat inside.err)"
    grep -q '"predicted"' inside.json && fail "inside, $policy: not all confirmed: $(cat "inside-$policy/report.txt")"
    races=$(grep -o '"status": "confirmed"' inside.json | wc -l)
    [ "$policy" != fifo ] || [ "$races" -eq 5 ] || fail "inside: $races races instead of 5"
done
exit 0
