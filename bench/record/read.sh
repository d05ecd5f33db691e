#!/usr/bin/env bash
# Cost of reading recordings: bench/record/read.sh [-b BUILD] [-f FACTOR] [-n ROUNDS] [-s] [PROGRAM...]
# Each program of this folder is built with heddle cc, recorded once and read ROUNDS times by bench_reading; the least processor time
# counts. Prints rows and appends them to bench/results/reading.csv (-s: does not).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build factor=1 rounds=3 save=1
while getopts 'b:f:n:s' option; do
    case $option in
        b) build=$OPTARG ;;
        f) factor=$OPTARG ;;
        n) rounds=$OPTARG ;;
        s) save=0 ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd)
[ $# -gt 0 ] || set -- "$here"/*.c
results=$here/../results/reading.csv
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ') x$(nproc)"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"

columns="program,factor,events,seconds,ns/event,bytes/event in memory,bytes/event at the peak,bytes/event resident"
echo "$columns"
for source; do
    name=$(basename "$source" .c)
    "$build/heddle" cc -O2 -pthread "$here/$name.c" -o program
    "$build/heddle" record -o t.hdt -- ./program "$factor" >out 2>err
    for _ in $(seq "$rounds"); do "$build/bench/bench_reading" t.hdt; done >lines
    row=$(sort -t, -k2.2g lines | head -1 |
        sed -nE 's/.*: ([0-9]+) events, ([0-9.]+) s, ([0-9]+) ns.*memory ([0-9.]+) b.*peak ([0-9.]+), resident ([0-9.]+),.*/\1,\2,\3,\4,\5,\6/p')
    row=$name,$factor,$row
    echo "$row"
    [ $save = 0 ] || [ -s "$results" ] || echo "date,commit,machine,load,$columns" >"$results"
    [ $save = 0 ] || echo "$(date -u +%Y-%m-%d),$commit,$machine,$(cut -d' ' -f1 /proc/loadavg),$row" >>"$results"
done
