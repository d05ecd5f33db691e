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
cc -O2 "$here/../real/measure.c" -o measure

columns="program,factor,log entries,events,seconds,ns/entry,ratio to recording,bytes/event in memory,peak MB,resident MB"
echo "$columns"
for source; do
    name=$(basename "$source" .c)
    "$build/heddle" cc -O2 -pthread "$here/$name.c" -o program
    ./measure time "$build/heddle" record -o t.hdt -- ./program "$factor" >out 2>err
    for _ in $(seq "$rounds"); do "$build/bench/bench_reading" t.hdt; done >lines
    row=$(sort -t, -k2.2g lines | head -1 |
        sed -nE 's/.*: ([0-9]+) events of ([0-9]+) entries, ([0-9.]+) s, ([0-9.]+) ns.*memory ([0-9.]+) b.*peak ([0-9.]+) MB, resident ([0-9.]+) MB,.*/\2 \1 \3 \4 \5 \6 \7/p' |
        awk -v OFS=, -v cpu="$(cut -d' ' -f1 time)" '{ print $1, $2, $3, $4, (cpu > 0 ? sprintf("%.1f", $3 / cpu) : "-"), $5, $6, $7 }')
    row=$name,$factor,$row
    echo "$row"
    [ $save = 0 ] || [ -s "$results" ] || echo "date,commit,machine,load,$columns" >"$results"
    [ $save = 0 ] || echo "$(date -u +%Y-%m-%d),$commit,$machine,$(cut -d' ' -f1 /proc/loadavg),$row" >>"$results"
done
