#!/usr/bin/env bash
# heddle analyze at its edges: no time, a solver that gives up, very long, very wide and very small traces, bad input,
# Ctrl-C, and whether its forms of output agree with each other.
. "$TESTS/cli/lib.sh" || exit 1

# The pairs of a JSON result in `out`, or another part of max.
max() { jq -c ".detectors.max$1" out; }

# Every conflicting pair is found, impossible, undecided, or skipped because its places race.
expect_sum() {
    expect "the counts do not add up: $(max '|{conflicting,found,impossible,skipped}')" jq -e '.detectors.max |
        .conflicting == ([.found[]] + [.impossible[]] + [.undecided[].pairs] + [.skipped] | add)' out >/dev/null
}

# How much was decided in the time given is not known here: races or none.
expect_either() { expect "exit code $code, expected 0 or 66" test "$code" = 0 -o "$code" = 66; }

cat >two.trace <<'EOF'
!control branches
t1|w(x,1)|a.c:1
t2|w(x,2)|b.c:1
t1|acq(l)|a.c:2
t1|w(y,1)|a.c:3
t1|rel(l)|a.c:4
t2|acq(l)|b.c:2
t2|w(y,2)|b.c:3
t2|rel(l)|b.c:4
EOF
heddle trace gen --seed 3 --events 150 --threads 3 -o random.trace
expect_code 0

# Only closure finds the race of x: the flag that t2 waits for may be the one of t3, which came later.
cat >later.trace <<'EOF'
!control branches
t1|w(x,1)|a.c:1
t1|aw(f,1)|a.c:2
t2|ar(f,1)|b.c:1
t2|br|b.c:1
t2|w(x,2)|b.c:2
t3|aw(f,1)|c.c:1
t1|acq(l)|a.c:3
t1|w(y,1)|a.c:4
t1|rel(l)|a.c:5
t2|acq(l)|b.c:3
t2|w(y,2)|b.c:4
t2|rel(l)|b.c:5
EOF

# No time: filters and the linear steps come to their end all the same, and what they leave open is undecided, by
# places and by events.
for how in "" --pairs; do
    # shellcheck disable=SC2086
    heddle analyze --budget 0s $how two.trace
    expect_code 66
    expect_out "1 pair of events impossible (lockset 1); 0 undecided"
    # shellcheck disable=SC2086
    heddle analyze --budget 0s $how later.trace
    expect_code 5
    expect_out "Undecided: events 1 (a.c:1) and 5 (b.c:2): time budget of the run"
    expect_out "1 pair of events impossible (lockset 1); 1 undecided"
    # shellcheck disable=SC2086
    heddle analyze --budget 0s --require-complete --allow-undecided $how later.trace
    expect_code 5
    # shellcheck disable=SC2086
    heddle analyze --budget 0s --allow-undecided $how later.trace
    expect_code 0
    # shellcheck disable=SC2086
    heddle analyze $how later.trace
    expect_code 66
    expect_out "0 undecided"
    # shellcheck disable=SC2086
    heddle analyze --budget 0s --json $how random.trace
    expect_code 66
    expect_sum
    expect "other steps than the linear ones" [ "$(max '.found|del(.greedy,.syncp)|add')" = 0 ]
    expect "nothing is undecided" [ "$(max '.undecided|length')" = 10 ]
done
# The same each time, and all that the linear steps find alone, at any budget.
heddle trace gen -e 1000 -t 8 -l 6 -x 10 -s 2 -o hard.trace
expect_code 0
heddle analyze --budget 0s hard.trace
cp out no_time
heddle analyze --budget 0s -j 3 hard.trace
expect "without any time there are two answers" cmp -s out no_time
"$HEDDLE" trace cat hard.trace | grep -v '^[!#]' | cut -d '|' -f 3 | jq -Rn '[inputs]' >places_of
places() { jq -c --slurpfile t places_of '.detectors.max.pairs | map([$t[0][.[0] - 1], $t[0][.[1] - 1]] | sort) | unique' out; }
heddle analyze --json --steps lockset,must,greedy,syncp --budget none hard.trace
places >linear
expect "fewer than 711 races" [ "$(jq length linear)" -ge 711 ]
for budget in 0s 1ms 20ms 100ms; do
    heddle analyze --json --budget $budget hard.trace
    expect_code 66
    expect_sum
    places >here
    expect "a race that greedy or syncp find is lost at $budget" \
        jq -en --slurpfile all linear --slurpfile here here '($all[0] - $here[0]) == []' >jq.out
done
heddle analyze --require-complete two.trace
expect_code 66
heddle analyze --budget soon two.trace
expect_usage "--budget wants a time like 10s or 5m, or none, not 'soon'"

# A solver that gives up leaves pairs undecided, and is right about the others. (After giving up, Z3 once
# answered from half a formula; the model refused the schedule.)
heddle analyze --json --pairs random.trace
expect_code 66
expect_sum
max .pairs >all_pairs
expect "undecided without a limit" [ "$(max .undecided)" = "[]" ]
heddle analyze --json --pairs --allow-undecided --steps smt --pair-budget 1ms random.trace
expect_either
expect_no_err
expect_sum
expect "the solver was quick" [ "$(max '.undecided|length')" -gt 0 ]
expect "another reason" [ "$(max '|[.undecided[].reason]|unique')" = '["time budget of the pair"]' ]
max .pairs >some_pairs
max '|[.undecided[].pair]' >open_pairs
expect "a wrong race" jq -en --slurpfile all all_pairs --slurpfile some some_pairs '($some[0] - $all[0]) == []' >/dev/null
expect "a lost race" jq -en --slurpfile all all_pairs --slurpfile some some_pairs --slurpfile open open_pairs \
    '($all[0] - $some[0] - $open[0]) == []' >/dev/null

# The steps do not change the answer as long as the solver is among them; without it, nothing wrong is said.
heddle trace gen --seed 5 --events 60 --threads 3 -o small.trace
heddle analyze --json --pairs small.trace
max .pairs >all_pairs
expect "too few races to compare" [ "$(jq length all_pairs)" -gt 5 ]
for steps in smt lockset,smt must,smt ucg,smt greedy,smt closure,smt filters,greedy,smt lockset,must,greedy,closure,smt; do
    heddle analyze --json --pairs --steps "$steps" small.trace
    expect_code 66
    expect_sum
    expect "other races" [ "$(max .pairs)" = "$(cat all_pairs)" ]
done
heddle analyze --json --pairs --steps filters small.trace
expect_code 5
expect_sum
expect "another reason" [ "$(max '|[.undecided[].reason]|unique')" = '["steps switched off"]' ]
heddle analyze --steps magic small.trace
expect_usage "--steps wants some of"

# A million events on one location.
awk 'BEGIN { for (i = 0; i < 500000; i++) print "t1|w(x)|a.c:1\nt2|w(x)|b.c:1" }' >hot.trace
heddle analyze --json hot.trace
expect_code 66
expect_sum
expect "not one race" [ "$(max '|[.conflicting, .places]')" = "[250000000000,1]" ]
awk 'BEGIN { for (i = 0; i < 125000; i++) for (t = 1; t < 3; t++)
    printf "t%d|acq(l)|c.c:1\nt%d|r(x)|c.c:2\nt%d|w(x)|c.c:3\nt%d|rel(l)|c.c:4\n", t, t, t, t }' >guarded.trace
heddle analyze --json guarded.trace
expect_code 0
expect_sum
expect "open pairs of a guarded counter" [ "$(max '|[.conflicting, .undecided]')" = "[46875000000,[]]" ]
rm hot.trace guarded.trace

# 500 threads: a counter with a lock, and one cell that the first and the last write without it.
awk 'BEGIN {
    for (t = 1; t <= 500; t++) printf "main|fork(t%d)|m.c:1\n", t
    for (t = 1; t <= 500; t++) {
        if (t == 1 || t == 500) printf "t%d|w(cell)|w.c:%d\n", t, t
        printf "t%d|acq(l)|w.c:1\nt%d|r(n)|w.c:2\nt%d|w(n)|w.c:3\nt%d|rel(l)|w.c:4\n", t, t, t, t
    }
    for (t = 1; t <= 500; t++) printf "main|join(t%d)|m.c:2\n", t
    print "main|r(n)|m.c:3" }' >wide.trace
heddle analyze --json wide.trace
expect_code 66
expect_sum
expect "not the two of cell" [ "$(max '|[.pairs, .undecided]')" = "[[[501,2498]],[]]" ]
heddle analyze --json --pairs wide.trace
expect_code 66
expect_sum
expect "not the two of cell" [ "$(max '|[.pairs, .undecided]')" = "[[[501,2498]],[]]" ]

# A lock that is never released: the other thread's section may come first.
printf '%s\n' '!control branches' 't2|acq(l)|b.c:1' 't2|rel(l)|b.c:2' 't2|w(x,2)|b.c:3' 't1|acq(l)|a.c:1' \
    't1|w(x,1)|a.c:2' 't1|w(y,1)|a.c:3' >held.trace
heddle analyze --json --pairs held.trace
expect_code 66
expect "the witness must end with the lock held" [ "$(max .pairs)" = "[[3,5]]" ]
# ... but what the other thread does inside that lock excludes it.
printf '%s\n' '!control branches' 't2|acq(l)|b.c:1' 't2|w(x,2)|b.c:3' 't2|rel(l)|b.c:2' 't1|acq(l)|a.c:1' \
    't1|w(x,1)|a.c:2' >held2.trace
heddle analyze --json --pairs held2.trace
expect_code 0
expect "a race under a common lock" [ "$(max .pairs)" = "[]" ]

# One thread; no events; only comments.
printf 't1|w(x,1)|a.c:1\nt1|r(x,1)|a.c:2\n' >one.trace
: >empty.trace
printf '# nothing\n\n' >comment.trace
for name in one empty comment; do
    whole=$([ $name = one ] || echo " of an incomplete trace")
    nothing=$([ $name = one ] && echo 0 || echo 5)
    heddle analyze $name.trace
    expect_code "$nothing"
    expect_out "$name.trace: 0 races in 0 pairs of source places$whole; 0 pairs of events impossible; 0 undecided"
    heddle analyze --json --pairs --detector max,said,rv,quick,hb,syncp $name.trace
    expect_code "$nothing"
    expect "pairs in it" [ "$(jq -c '[.detectors[].pairs[]]' out)" = "[]" ]
done
heddle analyze --json --pairs --require-complete one.trace
expect_code 0

# Bad input: the file and the line.
printf 't1|w(x,1)|a.c:1\nt1|jump(x)|a.c:2\n' >malformed.trace
heddle analyze malformed.trace
expect_code 3
expect_no_out
expect_err "malformed.trace:2: "
printf '# two owners\nt1|acq(l)|a.c:1\nt2|acq(l)|b.c:1\n' >inconsistent.trace
heddle analyze --json inconsistent.trace
expect_code 3
expect_no_out
expect_err "inconsistent.trace:3: "
heddle analyze missing.trace
expect_code 3
expect_err "missing.trace"

# JSON: the fields of docs/MODEL.md section 6, and witnesses that the checker accepts.
mkdir witnesses
heddle analyze --json --pairs --detector max,hb --witness-dir witnesses small.trace
expect_code 66
expect "a field of MODEL.md is missing" jq -e '.schema == "heddle-analysis-1" and
    (.trace | .events == 60 and has("threads") and has("locations") and has("locks")) and
    (.detectors.max | has("pairs") and has("undecided") and has("seconds")) and
    (.detectors.max.witnesses | length > 0 and all(has("pair") and has("schedule") and has("wakes"))) and
    (.detectors.max.witnesses | all(.schedule[-2:] == .pair)) and
    ([.detectors.max.witnesses[].pair] == .detectors.max.pairs) and
    (.detectors.max.pairs | all(.[0] < .[1]) and . == sort) and
    (.detectors.hb | has("pairs") and has("seconds"))' out >/dev/null
n=$(max '.pairs|length')
expect "not one file for each race" [ "$(find witnesses -name 'witness-*.json' | wc -l)" = "$n" ]
for file in witnesses/*.json; do
    heddle witness check small.trace "$file"
    expect_code 0
done
# Half a trace, or none: said, and refused when all of it is asked for.
: >empty.trace
heddle trace convert small.trace small.hdt
head -c $(($(wc -c <small.hdt) - 3)) small.hdt >cut.hdt
for name in empty.trace cut.hdt; do
    heddle analyze $name
    expect "$name is taken for a whole trace" [ "$code" != 3 ]
    expect_err warning
    expect_out "of an incomplete trace"
    heddle analyze --json $name
    expect "$name is complete in JSON" jq -e '.complete == false' out >/dev/null
    heddle analyze --require-complete $name
    expect_code 3
    expect_err "is not complete"
done
heddle analyze --json small.trace
expect "a whole trace is not complete in JSON" jq -e '.complete' out >/dev/null

# A long schedule: threads and counts, not event numbers; and no long text.
{
    printf '!control branches\nmain|fork(a)|m.c:1\nmain|fork(b)|m.c:2\n'
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%s|w(p%s,%d)|l.c:1\n", i % 2 ? "a" : "b", i % 2 ? "a" : "b", i }'
    printf 'a|w(x,1)|a.c:9\nb|w(x,2)|b.c:9\n'
} >long.trace
heddle analyze --json --witness-dir long long.trace
expect_code 66
expect "a long schedule is not written as runs" jq -e '.detectors.max.witnesses[0] | has("schedule") == false and
    .runs.form == 1 and .runs.entries == 20004 and ([.runs.list[][1]] | add) == 20004 and (.runs.list | length) < 8' out >/dev/null
heddle witness check long.trace long/witness-20003-20004.json
expect_code 0
heddle analyze long.trace
expect "a long schedule makes long text" [ "$(wc -l <out)" -lt 15 ]
heddle analyze --witness-dir missing/dir small.trace
expect_code 4

# One core or two: the same, but for the time.
for how in "" --pairs; do
    for name in random small wide; do
        for jobs in 1 2; do
            # shellcheck disable=SC2086
            heddle analyze --json -j $jobs $how $name.trace
            jq 'del(.detectors[].seconds)' out >jobs$jobs
        done
        expect "-j1 and -j2 differ on $name.trace $how" cmp -s jobs1 jobs2
    done
done

# Ctrl-C and SIGTERM in the middle of a long run: what is decided is printed, the rest is undecided.
heddle trace gen --seed 8 --events 1500 --threads 3 -o long.trace
for how in "INT " "INT --json" "TERM "; do
    signal=${how%% *} json=${how#* }
    command_line="heddle analyze --steps smt --pairs $json long.trace, $signal"
    # A background command of a shell without job control ignores SIGINT; env gives it back.
    rm -f err # lest the line of the run before be taken for one of this run
    # shellcheck disable=SC2086
    env --default-signal=INT "$HEDDLE" analyze --steps smt --pairs $json long.trace >out 2>err &
    pid=$!
    wait_for "grep -q 'groups' err"
    kill -"$signal" $pid
    code=0
    wait $pid || code=$?
    expect_either
    if [ -n "$json" ]; then
        expect_sum
        expect "no pair is marked" [ "$(max '|[.undecided[].reason]|unique')" = '["interrupted"]' ]
    else
        expect_out ": interrupted"
        expect_out " undecided"
    fi
done
# Before anything is decided there is nothing to print: it ends by the signal.
for signal in INT TERM; do
    command_line="heddle analyze -, $signal while it reads"
    mkfifo "slow.$signal"
    env --default-signal=INT "$HEDDLE" analyze - <"slow.$signal" >out 2>err &
    pid=$!
    exec 9>"slow.$signal"
    head -c 20000 long.trace >&9
    wait_for "grep -q heddle /proc/$pid/comm"
    sleep 0.3 # it has set its handlers
    kill -"$signal" $pid
    code=0
    wait $pid 2>/dev/null || code=$?
    exec 9>&-
    expect_code $((128 + $(kill -l $signal)))
    expect_no_out
done
finish
