#!/usr/bin/env bash
# bench/recall/run.sh [-q] [-n] [-o CSV] HEDDLE: one plain `heddle run` of each program against five runs of
# ThreadSanitizer. -q: the programs marked quick only; -n: without ThreadSanitizer. Exits 1 when Heddle finds less on any program, or reports what is not there.
exec python3 "$(dirname "$0")/recall.py" "$@"
