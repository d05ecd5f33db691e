#!/usr/bin/env bash
# How the cost of an answer grows: bench/record/growth.sh [-b BUILD] [-m MOST] [-s]
# One program with 10^5, 10^6 ... MOST (10^7) accesses of two threads to memory of their own, of which every 64th is
# to a counter under a lock: recorded, read, and analysed. Prints processor seconds, the growth exponent against the
# line before (1: linear), and memory; appends the rows to bench/results/growth.csv (-s: does not).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build most=10000000 save=1
while getopts 'b:m:s' option; do
    case $option in
        b) build=$OPTARG ;;
        m) most=$OPTARG ;;
        s) save=0 ;;
        *) exit 2 ;;
    esac
done
build=$(cd "$build" && pwd)
results=$here/../results/growth.csv
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ') x$(nproc)"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
cc -O2 "$here/../real/measure.c" -o measure
cat >growth.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int own[2][512], counter;
static long each;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    int *mine = arg;
    unsigned s = 1;
    for (long i = 0; i < each; i++) {
        s = s * 1664525u + 1013904223u;
        mine[s >> 23]++;
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            counter++;
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    each = argc > 1 ? atol(argv[1]) / 4 : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
"$build/heddle" cc -O2 -pthread growth.c -o growth
columns="accesses,log entries,events,record s,exponent,read s,exponent,analyze s,exponent,analyze MB"
echo "$columns"
last=
for ((n = 100000; n <= most; n *= 10)); do
    ./measure time "$build/heddle" record --max-size 0 -o t.hdt -- ./growth $n 2>err
    record=$(cut -d' ' -f1 time) entries=$(sed -nE 's/.*: ([0-9]+) events logged.*/\1/p' err)
    "$build/bench/bench_reading" t.hdt >line
    read=$(sed -nE 's/.* ([0-9.]+) s, .*/\1/p' line) events=$(sed -nE 's/.*: ([0-9]+) events.*/\1/p' line)
    ./measure time "$build/heddle" analyze -q --budget none t.hdt >out 2>&1 || { cat out; exit 1; }
    now="$record $read $(awk '{ print $1, int($3 / 1024) }' time)"
    row=$(echo "$last $now" | awk -v OFS=, -v n="$n" -v e="$entries" -v k="$events" '
        function growth(a, b) { return a > 0.05 ? sprintf("%.2f", log(b / a) / log(10)) : "-" }
        NF == 4 { print n, e, k, $1, "-", $2, "-", $3, "-", $4 }
        NF == 8 { print n, e, k, $5, growth($1, $5), $6, growth($2, $6), $7, growth($3, $7), $8 }')
    last=$now
    echo "$row"
    [ $save = 0 ] || [ -s "$results" ] || echo "date,commit,machine,load,$columns" >"$results"
    [ $save = 0 ] || echo "$(date -u +%Y-%m-%d),$commit,$machine,$(cut -d' ' -f1 /proc/loadavg),$row" >>"$results"
done
