#!/usr/bin/env bash
# What a recording costs that has next to no events: bench/record/start.sh [-b BUILD] [-n RUNS] [-s]
# A C and a C++ program with two threads and one lock are run natively, under ThreadSanitizer and by heddle record, RUNS times each, in
# turn. Milliseconds of user and system time of everything that a run starts; the median of five blocks of runs counts. Rows go to
# bench/results/start.csv (-s: do not).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build runs=50 save=1
while getopts 'b:n:s' option; do
    case $option in
        b) build=$OPTARG ;;
        n) runs=$OPTARG ;;
        s) save=0 ;;
        *) exit 2 ;;
    esac
done
build=$(cd "$build" && pwd)
results=$here/../results/start.csv
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ') x$(nproc)"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
TIMEFORMAT='%U %S'

cat >c.c <<'C'
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return x - 2;
}
C
cat >cxx.cpp <<'C'
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
static struct Cache {
    std::mutex m;
    std::map<std::string, int> hits;
} cache;
static void work(const char *name)
{
    std::lock_guard<std::mutex> guard(cache.m);
    cache.hits[name]++;
}
int main()
{
    std::thread t(work, "a");
    work("b");
    t.join();
    std::cout << cache.hits.size() << "\n";
}
C

# block COMMAND...: milliseconds of one run, the mean of a fifth of the runs
block() {
    { time for _ in $(seq $((runs / 5))); do "$@" >out 2>err; done; } 2>time
    awk -v n=$((runs / 5)) '{ print ($1 + $2) * 1000 / n }' time
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

one() {
    local compiler=clang ours=cc
    case $1 in *.cpp) compiler=clang++ ours=c++ ;; esac
    "$compiler" -O2 -g -pthread "$1" -o native
    "$compiler" -O2 -g -pthread -fsanitize=thread "$1" -o tsan
    "$build/heddle" "$ours" -O2 -pthread "$1" -o ours
    : >native.ms && : >tsan.ms && : >ours.ms
    for _ in 1 2 3 4 5; do
        block ./native >>native.ms
        block ./tsan >>tsan.ms
        block "$build/heddle" record -o t.hdt -- ./ours >>ours.ms
    done
    printf '%s,%.1f,%.1f,%.1f\n' "${1##*.}" "$(median <native.ms)" "$(median <tsan.ms)" "$(median <ours.ms)"
}

columns="program,native ms,tsan ms,heddle ms"
echo "$columns"
for source in c.c cxx.cpp; do
    row=$(one "$source")
    echo "$row"
    [ $save = 0 ] || [ -s "$results" ] || echo "date,commit,machine,load,$columns" >"$results"
    [ $save = 0 ] || echo "$(date -u +%Y-%m-%d),$commit,$machine,$(cut -d' ' -f1 /proc/loadavg),$row" >>"$results"
done
