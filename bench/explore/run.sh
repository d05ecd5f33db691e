#!/usr/bin/env bash
# Time, executions and memory of heddle explore until the first race, on the programs of tests/explore with 2, 3, 4 and 8
# threads: without a hint, with the hint, with the hint and a parked thread. Then executions per second against plain
# process start-up. Usage: bench/explore/run.sh [BUILD] [BUDGET], CSV on the standard output.
set -eu
build=$(realpath "${1:-build}")
budget=${2:-60s}
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
machine="$(sed -n 's/^model name[^:]*: *\([A-Za-z]* [A-Za-z]*\).*/\1/p' /proc/cpuinfo | head -1) x$(nproc)"
stamp="$(date -u +%F),$(git -C "$root" rev-parse --short HEAD),$machine"
field() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" out/explore.json; }
cpu() { awk '{print ($14 + $15 + $16 + $17) / 100}' /proc/$$/stat; }

echo "date,commit,machine,program,threads,aim,found,executions,seconds,cpu seconds,peak MB,load"
for p in counter primes sort elevator queries tsp; do
    "$build/heddle" cc -g -O0 "$root/tests/explore/$p.c" -o $p -pthread
    for n in 2 3 4 8; do
        for aim in none hint parked; do
            rm -rf out
            before=$(cpu) code=0
            "$build/heddle" -q explore -o out --aim $aim --preemptions 3 --first --budget "$budget" -t 1 \
                -- ./$p $n </dev/null 2>err || code=$?
            found=no
            [ $code = 66 ] && found=yes
            echo "$stamp,$p,$n,$aim,$found,$(field executions),$(awk "BEGIN {printf \"%.2f\", $(field milliseconds) / 1000}"),$(awk "BEGIN {printf \"%.2f\", $(cpu) - $before}"),$(awk "BEGIN {printf \"%.1f\", $(field peak_kilobytes) / 1024}"),$(cut -d' ' -f1 /proc/loadavg)"
        done
    done
done

# The program without instrumentation, started again and again, and the search on the same program.
clang -O0 "$root/tests/explore/counter.c" -o plain -pthread -DFIXED
"$build/heddle" cc -g -O0 "$root/tests/explore/counter.c" -o counter -pthread -DFIXED
before=$(cpu) start=$(date +%s%N)
for _ in $(seq 500); do ./plain 2 >plain.out; done
ms=$((($(date +%s%N) - start) / 1000000)) used=$(awk "BEGIN {printf \"%.2f\", $(cpu) - $before}")
echo "$stamp,start-up of counter,2,plain,,500,$(awk "BEGIN {printf \"%.2f\", $ms / 1000}"),$used,,$(cut -d' ' -f1 /proc/loadavg)"
for jobs in 1 2; do
    rm -rf out
    before=$(cpu)
    "$build/heddle" -q explore -o out --strategy dpor --runs 500 -t 1 --at-once $jobs -- ./counter 4 </dev/null 2>err || true
    echo "$stamp,counter by dpor with $jobs jobs,4,,,$(field executions),$(awk "BEGIN {printf \"%.2f\", $(field milliseconds) / 1000}"),$(awk "BEGIN {printf \"%.2f\", $(cpu) - $before}"),$(awk "BEGIN {printf \"%.1f\", $(field peak_kilobytes) / 1024}"),$(cut -d' ' -f1 /proc/loadavg)"
done
