#!/usr/bin/env bash
# heddle run finds and confirms races in forked children and in programs that a process became; findings say where.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start forked
cp "$TESTS/replay/forked.c" .
"$HEDDLE" cc -g -O1 forked.c -o forked || fail "heddle cc"
line=$(grep -n '/\* race \*/' forked.c | cut -d: -f1)

expect() { # expect PROCESSES MODE...: the race on counter, confirmed, in these processes
    local want=$1
    shift
    rm -rf heddle-out
    timeout -k 5 120 "$HEDDLE" run -v --runs 1 --json=report.json -- ./forked "$@" >out 2>err </dev/null
    [ $? -eq 66 ] || fail "run $*: $(cat out err)"
    local got
    got=$(jq -r '.races[] | "\(.status) \(.variable) \(.accesses[0].line) \(.accesses[1].line) \(.processes | join(","))"' report.json)
    [ "$got" = "confirmed counter $line $line $want" ] || fail "$*: $got instead of $want"
}

expect child1,child2 twice
has err 'In processes that the program started: child1, child2' || has out 'child1'
replay 66 --times 2 # the latest run's, by its witness
has out '4 of 4 executions confirmed, all repetitions alike'
expect child1.child1 nested
expect child1 thread
expect_also() { # as expect, but other races may be there
    rm -rf heddle-out
    timeout -k 5 120 "$HEDDLE" run -v --runs 1 --json=report.json -- ./forked "$@" >out 2>err </dev/null
    [ $? -eq 66 ] || fail "run $*: $(cat out err)"
    jq -e '[.races[] | select(.variable == "counter" and .status == "confirmed" and .processes == ["child1"] and
        ([.accesses[].thread] | index("T1")) != null and .outcomes.first.values == ["1", "1"] and
        .outcomes.second.values == ["1", "0"])] | length == 1' report.json >/dev/null ||
        fail "$*: $(jq -c .races report.json)"
}
expect_also self
expect child1.exec exec
replay 66

# What each order does is told of the process, not of the first one.
rm -rf heddle-out
timeout -k 5 120 "$HEDDLE" run -v --runs 1 --json=report.json -- ./forked crash >out 2>err </dev/null
[ $? -eq 66 ] || fail "crash: $(cat out err)"
got=$(jq -r '.races[] | select(.variable == "place") | .effects | [.first, .second] | sort | join(", ")' report.json)
[ "$got" = "exit 3, killed by SIGSEGV" ] || fail "the effects of the crash: $got"

# The corrected twin is quiet in every process.
for mode in twice nested thread; do
    timeout -k 5 120 "$HEDDLE" run -v --runs 1 -- ./forked $mode safely >out 2>err </dev/null
    [ $? -eq 0 ] || fail "$mode safely: $(cat out err)"
    has err '0 undecided' || has out '0 undecided'
done

# A child that does not come about in the replay is no confirmation.
"$HEDDLE" record -q -o nested.hdt -- ./forked nested >/dev/null 2>&1 </dev/null || fail "recording"
"$HEDDLE" analyze nested.child1.child1.hdt --witness-dir w >analyze.out 2>&1
set -- w/*.json
replay 6 --trace nested.child1.child1.hdt "$1" -- ./forked twice
has out 'did not come to the process|ended before the schedule was done'

# A process that asks whether its child has ended hears in the replay as often "not yet" as it did.
for way in waitpid waitid wait4; do
    "$HEDDLE" record -q -o asks.hdt -- ./forked asks $way >/dev/null 2>&1 </dev/null || fail "asks $way"
    confirm asks.hdt || fail "asks $way: not confirmed"
    [ "$confirmed" -ge 1 ] || fail "asks $way: no race"
done

if command -v gdb >/dev/null; then
    export HOME=$work
    printf '%s\n' 'p counter' 'info inferiors' continue quit |
        timeout -k 5 120 "$HEDDLE" replay --gdb --trace nested.child1.child1.hdt "$1" >out 2>&1
    has out '^heddle: both threads stand before their accesses'
    has out "stands at forked.c:$line \(count\), and goes first"
fi
exit 0
