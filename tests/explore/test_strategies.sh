#!/usr/bin/env bash
# Strategies pct, random and dpor: findings, --jobs, --resume, interrupts, runs that crash or hang.
. "$SOURCE/lib.sh" || exit 1
build sort queries elevator
"$HEDDLE" cc -g -O0 "$SOURCE/trouble.c" -o trouble -pthread || exit 1

# The same findings with one run at a time, with several, and in two parts.
for pair in "pct sort" "random queries"; do
    s=${pair% *} p=${pair#* }
    explore 66 one --strategy $s -n 60 -t 1 -- "./$p.bad" 2
    explore 66 two --strategy $s -n 60 -t 1 --at-once 3 -- "./$p.bad" 2
    [ "$(ids one)" = "$(ids two)" ] || fail "$s: other findings with --at-once 3"
    explore 66 part --strategy $s -n 40 -t 1 -- "./$p.bad" 2
    "$HEDDLE" -q explore --resume -o part -n 20 -t 1 2>part.err
    [ $? = 66 ] || fail "$s: --resume does not end with 66"
    [ "$(ids one)" = "$(ids part)" ] || fail "$s: other findings in two parts"
    tr -s '\n ' ' ' <part/report.txt | grep -q "search: 60 runs" || fail "$s: the parts do not add up"
    explore 0 good --strategy $s -n 12 -t 1 -- "./$p.good" 2
done
confirm one 1
explore 66 one --runs 150 -t 1 -- ./sort.bad 2
explore 66 two --runs 150 -t 1 --at-once 2 -- ./sort.bad 2
[ "$(ids one)" = "$(ids two)" ] || fail "guided: other findings with --at-once 2"

# A search from warnings goes on with those that are not settled.
explore 66 one --strategy guided -t 1 -- ./elevator.bad 2
explore 0 part --strategy guided --runs 3 -t 1 -- ./elevator.bad 2
"$HEDDLE" -q explore --resume -o part -t 1 2>part.err
[ $? = 66 ] || fail "guided: --resume does not end with 66"
[ "$(ids one)" = "$(ids part)" ] || fail "guided: other findings in two parts"
executions=$(sed -n 's/.*"executions": *\([0-9]*\).*/\1/p' part/explore.json)
"$HEDDLE" -q explore --resume -o part -t 1 2>part.err
[ "$(sed -n 's/.*"executions": *\([0-9]*\).*/\1/p' part/explore.json)" = $((executions + 1)) ] ||
    fail "guided: what is settled is searched again"

# dpor ends by itself.
explore 66 out --strategy dpor -- ./trouble race
confirm out 1
tr -s '\n ' ' ' <out/report.txt | grep -q "search: all [0-9]* schedules explored" || fail "dpor does not say that it is through"
explore 0 out --strategy dpor -- ./trouble none

exit $failed
