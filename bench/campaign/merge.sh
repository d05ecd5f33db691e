#!/usr/bin/env bash
# Merging many small reports: N units, made by copying the results of a few, joined by `heddle campaign report`.
# merge.sh [N]; HEDDLE names the tool. Prints seconds, processor time and the largest resident memory.
set -eu
n=${1:-10000}
HEDDLE=$(realpath "${HEDDLE:-build/heddle}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$HEDDLE" cc -g "$here/../../tests/campaign/late.c" -o late -pthread
"$HEDDLE" run --quiet --runs 1 -o one -- ./late x >/dev/null 2>&1 || true
"$HEDDLE" run --quiet --runs 1 -o two -- ./late >/dev/null 2>&1 || true
"$HEDDLE" campaign --runs "$n" --plan-only -o c -- ./late x
k=0
for name in $(jq -r 'select(.unit) | .unit' c/plan.jsonl); do
    k=$((k + 1))
    mkdir -p "c/units/${name:0:2}/$name"
    cp "$([ $((k % 2)) = 0 ] && echo one || echo two)/report.json" "c/units/${name:0:2}/$name/"
done
begin=$EPOCHREALTIME
/usr/bin/time -f '%M %U %S' -o memory "$HEDDLE" campaign report c | tail -1 || true
echo "$begin $EPOCHREALTIME $(tail -1 memory)" | awk -v n="$n" '{ printf "%d reports merged in %.1f s, %.1f s of processor time, %d MB at most\n", n, $2 - $1, $4 + $5, $3 / 1024 }'
