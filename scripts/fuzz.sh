#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: builds the libFuzzer targets with clang in build-fuzz and runs each for an equal
# share of SECONDS. Exit 1 on a finding; its input is left in build-fuzz/findings. New inputs stay in
# build-fuzz/corpus_*, so that a later run goes on from there.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:?how many seconds?}
shift
CC=clang cmake -S . -B build-fuzz -G Ninja -DHEDDLE_FUZZ=ON -DHEDDLE_WERROR=ON >build-fuzz.log 2>&1 &&
    cmake --build build-fuzz -j 2 --target fuzzers >>build-fuzz.log 2>&1 || { cat build-fuzz.log; exit 1; }

targets=("$@")
[ $# -gt 0 ] || for source in tests/fuzz/fuzz_*.c; do targets+=("$(basename "$source" .c)"); done
share=$(((seconds + ${#targets[@]} - 1) / ${#targets[@]}))
mkdir -p build-fuzz/findings
status=0
for target in "${targets[@]}"; do
    what=${target#fuzz_}
    work=build-fuzz/corpus_$what
    mkdir -p "$work"
    seeds=()
    for folder in tests/fuzz/corpus_"$what" tests/fuzz/found_"$what"; do
        [ ! -d "$folder" ] || seeds+=("$folder")
    done
    options=(-max_total_time="$share" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
             -artifact_prefix=build-fuzz/findings/"$what"-)
    [ ! -f tests/fuzz/"$what".dict ] || options+=(-dict=tests/fuzz/"$what".dict)
    if build-fuzz/tests/fuzz/"$target" "${options[@]}" "$work" "${seeds[@]}" >build-fuzz/"$target".log 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' build-fuzz/"$target".log)
        echo "$target: $runs runs in $share s, nothing found"
    else
        tail -n 60 build-fuzz/"$target".log
        echo "$target: a finding; its input is in build-fuzz/findings" >&2
        status=1
    fi
done
exit $status
