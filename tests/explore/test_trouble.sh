#!/usr/bin/env bash
# Runs that fail under one schedule only are findings of every strategy; what is only unusual is
# contained. No run ends the search.
. "$SOURCE/lib.sh" || exit 1
"$HEDDLE" cc -g -O0 "$SOURCE/trouble.c" -o trouble -pthread || exit 1

found() {
    local words=$1 kind=$2
    for s in guided dpor pct random; do
        explore 66 out --strategy $s -n 60 --first -t 1 --timeout 1 -- ./trouble "$kind"
        says out "$words"
    done
}
found "killed by SIGSEGV \[confirmed" crash
found "Assertion .!between. failed. \[confirmed" assert
found "killed by SIGABRT \[confirmed" abort
found "killed by SIGSEGV" memory
found "deadlock on" deadlock
found "did not end" hang
for s in guided dpor pct random; do
    for kind in exit fork none; do
        explore 0 out --strategy $s -n 20 -t 1 --timeout 1 -- ./trouble $kind
        [ -z "$(ids out)" ] || fail "$s $kind: something is reported"
    done
done
# Nobody sees a process go that is killed from outside.
for s in pct random dpor; do
    explore 66 out --strategy $s -n 60 --first -t 1 --timeout 1 -- ./trouble killed
    says out "killed by SIGKILL"
done

# What dpor keeps of such runs replays like any witness.
for kind in crash abort deadlock hang; do
    explore 66 out --strategy dpor -n 20 -t 1 --timeout 1 -- ./trouble $kind
    [ $kind = hang ] || confirm out 1
done
exit $failed
