#!/usr/bin/env bash
# What `make run` shows: run-example.sh HEDDLE. Compiles the first example, records it, predicts its race, confirms
# it by running the program under the schedule, and prints the report.
set -eu
heddle=$(realpath "$1")
examples=$(cd "$(dirname "$0")/../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$examples/hidden.c" "$work"
cd "$work"

show() { # show STATUS ARGUMENTS...: runs heddle and insists on its exit code
    local expected=$1 status=0
    shift
    echo "\$ heddle $*"
    "$heddle" "$@" 2>&1 </dev/null || status=$?
    if [ "$status" != "$expected" ]; then
        echo "run-example.sh: heddle $* exited $status, not $expected" >&2
        exit 1
    fi
    echo
}

show 66 run hidden.c
show 0 show
show 0 analyze --detector hb heddle-out/latest/run.hdr
echo "The program is examples/hidden.c. Exit code 66 says: a race was found. hb is the happens-before"
echo "detector, for comparison: in the recorded run it sees nothing."
