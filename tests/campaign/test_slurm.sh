#!/usr/bin/env bash
# The engine slurm on a real Slurm of four nodes on this machine: the same report as the local engine's, also when a
# node and a task are killed in the middle; what goes wrong is named.
. "$TESTS/cli/lib.sh" || exit 1
. "$TESTS/campaign/cluster.sh" || exit 1
for name in late quiet; do
    "$HEDDLE" cc -g "$TESTS/campaign/$name.c" -o "$name" -pthread || exit 1
done

# ---- without Slurm ----
mkdir bin
for tool in sh cat; do ln -s "$(command -v $tool)" bin/; done
PATH=$PWD/bin heddle campaign --runs 2 --engine slurm -o none -- ./quiet
expect_code 77
expect_err "needs sbatch"

missing=$(cluster_missing)
if [ -n "$missing" ]; then
    echo "not tried: this machine lacks $missing"
    [ -z "${CI:-}" ] || exit 1
    [ "$failures" = 0 ] && exit 77
    exit 1
fi
trap 'cluster_stop; rm -rf "$work"' EXIT
cluster_start "$work/cluster" || { fail "the cluster does not start"; finish; }

# ---- four nodes ----
units=${HEDDLE_TEST_LONG:+200}
units=${units:-40}
printf './late x\n./quiet\n' >tests.txt
args=(--tests tests.txt --runs $((units / 2)) --times 1)
heddle campaign "${args[@]}" -j 2 -o local
expect_code 66
heddle campaign "${args[@]}" --engine slurm --per-task 5 -o four
expect_code 66
expect_out "$units of $units units done"
expect "the report depends on the engine" cmp local/report.json four/report.json
expect "fewer than four nodes worked" [ "$(find four/slurm -name 'wave-1-*.log' | wc -l)" = $((units / 5)) ]

# ---- limits from the unit: 5 units, tried twice, 45 s each, and a minute to start ----
heddle campaign --runs 10 --engine slurm --per-task 5 --unit-timeout 45 --unit-memory 90M --no-wait --sbatch --hold -o limits -- ./quiet
expect_code 0
limits=$(squeue -h -n heddle-units -o "%l %m" | sort -u)
expect "limits of jobs are '$limits'" [ "$limits" = "9:00 90M" ]
scancel -n heddle-units -n heddle-report
expect "the next wave asks for nothing" grep -q -- "--unit-timeout=45.*--unit-memory=90000000" limits/slurm/follow-1.sh

# ---- a node and a task are killed in the middle ----
heddle campaign "${args[@]}" --engine slurm --per-task 5 --no-wait --sbatch --comment=kept -o killed
expect_code 0
for ((i = 0; i < 200; i++)); do [ "$(find killed/units -name report.json 2>/dev/null | wc -l)" -ge 2 ] && break; sleep 0.05; done
kill -9 "${cluster_node_pid[2]}"
task=$(pgrep -f -- "campaign work $work/killed" | head -1)
expect "no task runs" [ -n "$task" ]
kill -9 "$task"
for ((i = 0; i < 600; i++)); do [ -e killed/slurm/finished ] && break; sleep 0.2; done
expect "the campaign did not end" [ -e killed/slurm/finished ]
heddle campaign status killed
expect_out "$units of $units units done"
expect "the report depends on what was killed" cmp local/report.json killed/report.json
expect "nothing had to be done again" [ -s killed/slurm/wave-2.sh ]
expect "an option of sbatch is lost" grep -q -- --comment=kept killed/slurm/follow-1.sh
cluster_node 2

# ---- a folder that nodes do not see, and a program there ----
hidden=$work/cluster/hidden
cp quiet "$hidden/"
heddle campaign --runs 2 --retries 0 --engine slurm -o lacking -- "$hidden/quiet"
expect_code 4
expect_out "quiet cannot be read: No such file or directory"
heddle campaign --runs 2 --engine slurm -o "$hidden/c" -- ./quiet
expect_code 4
expect_err "do all nodes see this folder"
finish
