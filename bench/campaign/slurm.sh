#!/usr/bin/env bash
# What Slurm's scheduling costs: N units of a program of 50 ms on a Slurm of four nodes on this machine (as root; see
# tests/campaign/cluster.sh), PER_TASK to a task, against the local engine with as many units at a time.
# slurm.sh [N] [PER_TASK]; HEDDLE names the tool. Prints seconds, and the share of idle cores while tasks
# waited: that is scheduling.
set -eu
n=${1:-400} per_task=${2:-20}
HEDDLE=$(realpath "${HEDDLE:-build/heddle}")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/campaign/cluster.sh" || exit 1
work=$(mktemp -d)
trap 'cluster_stop; rm -rf "$work"' EXIT
cd "$work"
"$HEDDLE" cc -O2 -g "$here/fifty.c" -o fifty -pthread
cluster_start "$work/cluster"
slots=$((4 * 2))
now() { date +%s.%N; }
begin=$(now)
"$HEDDLE" -q campaign --runs "$n" -j $slots --policy pct -o local -- ./fifty || true
middle=$(now)
"$HEDDLE" -q campaign --runs "$n" --policy pct --engine slurm --per-task "$per_task" -o cluster-run -- ./fifty || true
end=$(now)
cmp local/report.json cluster-run/report.json
# A task begins when its log appears and ends with its last unit. While tasks wait, idle cores are Slurm's.
tail -n +2 cluster-run/slurm/wave-1.units >order
task=0
for log in $(printf '%s\n' cluster-run/slurm/wave-1-*.log | sort -V); do
    sed -n "$((task * per_task + 1)),$(((task + 1) * per_task))p" order | while read -r unit; do
        name=$(sed -n "$((unit + 2))p" cluster-run/plan.jsonl | jq -r .unit)
        stat -c %.Y "cluster-run/units/${name:0:2}/$name/report.json"
    done | sort -n | tail -1 | sed "s/^/$(stat -c %.W "$log") /"
    task=$((task + 1))
done >tasks
idle=$(awk -v slots=$slots '
    { start[NR] = $1; end[NR] = $2; if (NR == 1 || $1 < first) first = $1; if ($1 > last) last = $1 }
    END {
        for (i = 1; i <= NR; i++) busy += (end[i] < last ? end[i] : last) - start[i]
        all = slots * (last - first)
        if (all > 0) printf "%.1f %% of the cores stood idle while tasks waited", 100 * (1 - busy / all)
        else printf "no task had to wait"
    }' tasks)
echo "$n units of 50 ms, $per_task to a task, $slots at a time: local $(awk "BEGIN { printf \"%.1f\", $middle - $begin }") s," \
    "Slurm $(awk "BEGIN { printf \"%.1f\", $end - $middle }") s with submission and report; $idle"
