#!/usr/bin/env bash
# What a campaign costs beside its units: N units of a program of 50 ms, against `xargs -P` with the same commands.
# overhead.sh [N] [JOBS]; HEDDLE names the tool. Prints seconds.
set -eu
n=${1:-1000} jobs=${2:-2}
HEDDLE=$(realpath "${HEDDLE:-build/heddle}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >fifty.c <<'EOF'
#include <pthread.h>
#include <time.h>
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
static void *work(void *arg) { pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock); return arg; }
static long spin(double until) { long turns = 0; while (now() < until) for (volatile int i = 0; i < 100000; i++) turns++; return turns; }
int main(void)
{
    double begin = now();
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return spin(begin + 0.05) < 0;
}
EOF
"$HEDDLE" cc -O2 -g fifty.c -o fifty -pthread
measure() { local begin=$EPOCHREALTIME; "$@" >/dev/null 2>&1 || true; echo "$begin $EPOCHREALTIME" | awk '{ printf "%.1f", $2 - $1 }'; }
loop() { seq "$n" | xargs -P "$jobs" -I{} "$HEDDLE" run --quiet --runs 1 --policy pct --seed {} --jobs 1 -o "loop-{}" -- ./fifty; }
campaign() { "$HEDDLE" campaign --quiet --runs "$n" -j "$jobs" --policy pct -o campaign -- ./fifty; }
one=$(measure loop)
two=$(measure campaign)
echo "$n units of 50 ms, $jobs at a time: shell loop $one s, campaign $two s with its merged report ($(awk "BEGIN { printf \"%+.1f %%\", ($two / $one - 1) * 100 }"))"
