#!/usr/bin/env bash
# What `make run` shows: run-example.sh HEDDLE. Checks, describes, prints and analyses a bundled trace.
set -eu
heddle=$(realpath "$1")
cd "$(dirname "$0")/../examples"

show() { # show STATUS ARGUMENTS...: runs heddle and insists on its exit code
    local expected=$1 status=0
    shift
    echo "\$ heddle $*"
    "$heddle" "$@" || status=$?
    if [ "$status" != "$expected" ]; then
        echo "run-example.sh: heddle $* exited $status, not $expected" >&2
        exit 1
    fi
    echo
}

show 0 trace check bank.trace
show 0 trace stats bank.trace
show 0 trace cat --numbers bank.trace
show 0 analyze --detector hb bank.trace
show 66 analyze bank.trace
echo "The program is examples/bank.c. Exit code 66 says: a race was found."
