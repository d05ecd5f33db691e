#!/usr/bin/env bash
# Cost of recording: bench/record/run.sh [-b BUILD] [-n ROUNDS] [-f FACTOR] [-o LEVEL] [-s] [PROGRAM...]
# Each program of this folder is built by clang, by clang -fsanitize=thread and by heddle cc at the same level and run in turn,
# ROUNDS times. Time is user and system time of everything that a run starts, for heddle the recorder included; the median counts,
# and the ratio is the median of the ratios of the rounds. Prints rows and appends them to bench/results/record.csv (-s: does not).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build rounds=5 factor=1 level=2 save=1
while getopts 'b:n:f:o:s' option; do
    case $option in
        b) build=$OPTARG ;;
        n) rounds=$OPTARG ;;
        f) factor=$OPTARG ;;
        o) level=$OPTARG ;;
        s) save=0 ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd)
[ $# -gt 0 ] || set -- "$here"/*.c
results=$here/../results/record.csv
date=$(date -u +%Y-%m-%d)
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ') x$(nproc)"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
cc -O2 "$here/../real/measure.c" -o measure
TIMEFORMAT='%U %S'

# cpu COMMAND...: seconds of the processor
cpu() {
    { time "$@" >out 2>err; } 2>time
    awk '{print $1 + $2}' time
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# one NAME: prints its row
one() {
    local source=$here/$1.c native=() tsan=() ours=() ratios=() events bytes own
    clang -O"$level" -g -pthread "$source" -o native
    clang -O"$level" -g -pthread -fsanitize=thread "$source" -o tsan
    "$build/heddle" cc -O"$level" -pthread "$source" -o ours
    for _ in $(seq "$rounds"); do
        native+=("$(cpu ./native "$factor")")
        tsan+=("$(cpu ./tsan "$factor")")
        rm -f t.hdt # to give back the pages of the last one is not recording
        ours+=("$(cpu "$build/heddle" record -o t.hdt -- ./ours "$factor")")
        ratios+=("$(awk -v a="${ours[-1]}" -v b="${tsan[-1]}" 'BEGIN { print a / b }')")
    done
    events=$(sed -nE 's/.*: ([0-9]+) events.*/\1/p' err)
    bytes=$(stat -c %s t.hdt)
    ./measure peak "$build/heddle" record -o t.hdt -- ./ours "$factor" >out 2>err
    own=$(awk '{print $3}' peak)
    printf '%s,%s,%s,%s\n' "$1" "$level" "$factor" "$events" | tr -d '\n'
    awk -v e="$events" -v b="$bytes" -v n="$(printf '%s\n' "${native[@]}" | median)" -v t="$(printf '%s\n' "${tsan[@]}" | median)" \
        -v h="$(printf '%s\n' "${ours[@]}" | median)" -v r="$(printf '%s\n' "${ratios[@]}" | median)" -v o="$own" \
        'BEGIN { printf ",%.2f,%.3f,%.3f,%.3f,%.2f,%.0f,%.1f\n", b / e, n, t, h, r, h * 1e9 / e, o / 1024 }'
}

columns="program,level,factor,events,bytes/event,native s,tsan s,heddle s,heddle/tsan,heddle ns/event,recorder MB"
echo "$columns"
for source; do
    name=$(basename "$source" .c)
    row=$(one "$name")
    echo "$row"
    echo "$row" >>rows
    [ $save = 0 ] || [ -s "$results" ] || echo "date,commit,machine,load,$columns" >"$results"
    [ $save = 0 ] || echo "$date,$commit,$machine,$(cut -d' ' -f1 /proc/loadavg),$row" >>"$results"
done
awk -F, '{ sum += log($9); if ($9 > worst) worst = $9 }
    END { printf "# geometric mean of heddle/tsan %.2f, worst %.2f\n", exp(sum / NR), worst }' rows
