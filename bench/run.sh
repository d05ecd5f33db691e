#!/usr/bin/env bash
# Runs every benchmark program of a build, one after the other: bench/run.sh [BUILD] [NAME...]. bench/README.md
# says what each one shows.
set -u
build=${1:-build}
shift $(($# > 0))
status=0
for program in "$build"/bench/bench_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    echo "== $name"
    "$program" || status=1
done
exit $status
