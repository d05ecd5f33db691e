#!/usr/bin/env bash
# A race detector is checked for races: builds the tool with ThreadSanitizer in build-tsan and runs what
# uses threads on both cores: the published examples and the analysis of random traces. threads.sh [JOBS] [all]
# all: instead of these, every unit suite; takes many minutes.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)} which=${2:-} build=build-tsan
# Z3 starts threads in the process that a solver is forked into.
export CC=clang TSAN_OPTIONS="halt_on_error=1:exitcode=99:die_after_fork=0:suppressions=$PWD/scripts/tsan-suppressions.txt"
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DHEDDLE_SANITIZE=thread >"$build/build.log"
if [ "$which" = all ]; then
    cmake --build "$build" -j "$jobs" >>"$build/build.log"
    HEDDLE_TEST_SANITIZED=1 exec ctest --test-dir "$build" --output-on-failure -j "$jobs" -LE long -R '^unit/' \
        -E '^unit/test_base_process$' # vfork is fork there
fi
cmake --build "$build" -j "$jobs" --target heddle test_predict_examples test_base_stop >>"$build/build.log"
"$build/tests/test_base_stop"
"$build/tests/test_predict_examples"
for seed in 1 2 3 4 5 6 7 8; do
    "$build/heddle" trace gen -e 150 -t 6 -l 4 -x 6 -s $seed -o "$build/random.txt"
    status=0
    timeout 300 "$build/heddle" -q analyze -j 2 --budget 20s "$build/random.txt" >/dev/null || status=$?
    case $status in 0 | 5 | 66) ;; *) echo "seed $seed: exit $status" >&2 && exit 1 ;; esac
done
