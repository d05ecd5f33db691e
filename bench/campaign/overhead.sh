#!/usr/bin/env bash
# What a campaign costs beside its units: N units of a program of 50 ms, against `xargs -P` with the same commands.
# overhead.sh [N] [JOBS]; HEDDLE names the tool. Prints seconds.
set -eu
n=${1:-1000} jobs=${2:-2}
HEDDLE=$(realpath "${HEDDLE:-build/heddle}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$HEDDLE" cc -O2 -g "$here/fifty.c" -o fifty -pthread
measure() { local begin=$EPOCHREALTIME; "$@" >/dev/null 2>&1 || true; echo "$begin $EPOCHREALTIME" | awk '{ printf "%.1f", $2 - $1 }'; }
loop() { seq "$n" | xargs -P "$jobs" -I{} "$HEDDLE" run --quiet --runs 1 --policy pct --seed {} --jobs 1 -o "loop-{}" -- ./fifty; }
campaign() { "$HEDDLE" campaign --quiet --runs "$n" -j "$jobs" --policy pct -o campaign -- ./fifty; }
one=$(measure loop)
two=$(measure campaign)
echo "$n units of 50 ms, $jobs at a time: shell loop $one s, campaign $two s with its merged report ($(awk "BEGIN { printf \"%+.1f %%\", ($two / $one - 1) * 100 }"))"
