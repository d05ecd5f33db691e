#!/usr/bin/env bash
# Prediction on traces that used to be dear:
# bench/hard.sh [-b BUILD] [-r BUILD] [-c COMMIT] [-t SECONDS] [-f REGEX] [-q]. Prints a row for each trace and appends it to bench/results/hard.csv. -b: what analyses; -r: what makes traces and records
# (build); -c: the commit that BUILD is of (that of this tree); -t: end a run after so many seconds (60); -f: only
# traces whose names match; -q: only the short ones.
set -u
here=$(cd "$(dirname "$0")" && pwd)
maker=$here/../build
build=$maker
limit=60
quick=
filter=
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
while getopts 'b:r:c:t:f:q' option; do
    case $option in
        b) build=$OPTARG ;;
        r) maker=$OPTARG ;;
        c) commit=$OPTARG ;;
        t) limit=$OPTARG ;;
        f) filter=$OPTARG ;;
        q) quick=yes ;;
        *) exit 2 ;;
    esac
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
results=$here/results/hard.csv
[ -s "$results" ] || echo "date,commit,trace,size,places,lock,cpu,exponent,races,undecided" >>"$results"
date=$(date -u +%Y-%m-%d)
last=
last_n=
last_cpu=

# row TRACE N PLACES LOCK FILE OPTION...: user and system time of the analysis on one core, and the growth since the row
# before of the same trace, as the exponent of N.
row() {
    local times cpu races undecided exponent= status
    times=$({
        TIMEFORMAT='%U %S'
        time timeout "$limit" "$build/heddle" analyze -q -j 1 "${@:6}" "$5" >"$work/out" 2>/dev/null
    } 2>&1)
    status=$?
    cpu=$(awk '{ print $1 + $2 }' <<<"$times")
    races=$(sed -nE 's/.*: ([0-9]+) (races?|deadlocks?) in.*/\1/p' "$work/out" | tail -1)
    undecided=$(sed -nE 's/.*; ([0-9]+) undecided.*/\1/p' "$work/out" | tail -1)
    [ $status != 124 ] || races=
    if [ -n "$races" ] && [ "$last" = "$1 $3 $4" ]; then
        exponent=$(awk -v a="$last_cpu" -v b="$cpu" -v m="$last_n" -v n="$2" \
            'BEGIN { if (a > 0 && b > 0) printf "%.2f", log(b / a) / log(n / m) }')
    fi
    echo "$date,$commit,$1,$2,$3,$4,$cpu,$exponent,${races:-cut after $limit s},$undecided" | tee -a "$results"
    last="$1 $3 $4"
    last_n=$2
    last_cpu=$cpu
}

wanted() { [[ $1 =~ $filter ]]; }

made() { # made FAMILY N PLACES LOCK OPTION...
    wanted "$1" || return
    awk -v family="$1" -v n="$2" -v threads=8 -v places="$3" -v lock="$4" -v seed=1 -f "$here/hard/make.awk" >"$work/trace.txt"
    row "$1" "$2" "$3" "$4" "$work/trace.txt" "${@:5}"
}

# recorded NAME SOURCE N FLAGS: a program of tests/values, as text that every version reads. "places" is its KIND.
recorded() {
    wanted "$1" || return
    # shellcheck disable=SC2086
    "$maker/heddle" cc -g -O1 -pthread $4 "$here/../tests/values/$2.c" -o "$work/program" &&
        "$maker/heddle" -q record --policy random --quantum 5 -o "$work/program.hdt" "$work/program" >/dev/null 2>&1 &&
        "$maker/heddle" trace cat "$work/program.hdt" >"$work/trace.txt" &&
        row "$1" "$3" "" "" "$work/trace.txt"
}

for lock in 0 0.5; do
    for places in 100 200 1000; do
        for n in 1000 3000 10000 30000 100000; do
            [ -z "$quick" ] || [ $n -lt 30000 ] || continue
            made hot $n $places $lock
        done
    done
done
for n in 1000 3000 10000 30000 100000; do
    made nest $n 50 1
done
for n in 1000 3000 10000 20000; do
    made deep $n 2 1
done
for n in 300 1000 3000 20000; do
    made deep $n 2 deadlock --property deadlock
done
# series NAME SOURCE KIND: two sizes of a program.
series() {
    for n in 100 1000; do
        [ -z "$quick" ] || [ $n -lt 1000 ] || continue
        recorded "$1" "$2" $n "-DKIND=$3 -DN=$n -DITEMS=$n"
    done
}
for kind in 0 1 2 3 4; do
    series spin$kind spin_lock $kind
done
for kind in 0 1 2 3 4 5; do
    series protocol$kind protocols $kind
done
for kind in 0 1 2; do
    series rw$kind rw_counter $kind
    series pool$kind pool $kind
    series lists$kind pool_lists $kind
done
for kind in 0 1 2 3; do
    series owned$kind owned_lists $kind
done
for kind in 0 1 2 3 4; do
    series counted$kind counted $kind
done
for kind in 0 1 2; do
    series locked$kind locked_lists $kind
done
series buffer bounded_buffer 0
series pending pending_counter 0
for kind in 0 1; do
    for n in 30 300; do
        recorded barrier$kind counter_barrier $n "-DKIND=$kind -DROUNDS=$n"
    done
done
for n in 300 1000; do
    wanted gen || break
    "$maker/heddle" trace gen -e $n -t 8 -l 6 -x 10 -s 2 -o "$work/trace.txt"
    row gen $n "" "" "$work/trace.txt" --budget 20s
done
