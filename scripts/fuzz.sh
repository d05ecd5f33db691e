#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: builds the libFuzzer targets with clang in build-fuzz and runs each for SECONDS, as
# many at once as there are processors. Exit 1 on a finding; its input is left in build-fuzz/findings. New inputs
# stay in build-fuzz/corpus_*, so that a later run goes on from there.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:?how many seconds?}
shift
CC=clang cmake -S . -B build-fuzz -G Ninja -DHEDDLE_FUZZ=ON -DHEDDLE_WERROR=ON >build-fuzz.log 2>&1 &&
    cmake --build build-fuzz -j 2 --target fuzzers >>build-fuzz.log 2>&1 || { cat build-fuzz.log; exit 1; }

targets=("$@")
[ $# -gt 0 ] || for source in tests/fuzz/fuzz_*.c; do targets+=("$(basename "$source" .c)"); done
mkdir -p build-fuzz/findings

run_target() { # run_target TARGET; prints one line, or the end of the log on a finding
    local target=$1 what=${1#fuzz_} seeds=() folder runs
    local work=build-fuzz/corpus_$what
    mkdir -p "$work"
    for folder in tests/fuzz/corpus_"$what" tests/fuzz/found_"$what"; do
        [ ! -d "$folder" ] || seeds+=("$folder")
    done
    local options=(-max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
                   -artifact_prefix=build-fuzz/findings/"$what"-)
    [ ! -f tests/fuzz/"$what".dict ] || options+=(-dict=tests/fuzz/"$what".dict)
    if build-fuzz/tests/fuzz/"$target" "${options[@]}" "$work" "${seeds[@]}" >build-fuzz/"$target".log 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' build-fuzz/"$target".log)
        echo "$target: $runs runs in $seconds s, nothing found"
    else
        tail -n 60 build-fuzz/"$target".log
        echo "$target: a finding; repeat: build-fuzz/tests/fuzz/$target build-fuzz/findings/$what-*" >&2
        return 1
    fi
}

status=0
while [ ${#targets[@]} -gt 0 ]; do
    running=()
    for target in "${targets[@]:0:$(nproc)}"; do
        run_target "$target" &
        running+=($!)
    done
    targets=("${targets[@]:$(nproc)}")
    for pid in "${running[@]}"; do wait "$pid" || status=1; done
done
exit $status
