#!/usr/bin/env bash
# Builds the tool with AddressSanitizer and UndefinedBehaviorSanitizer in build-asan and runs its tests.
# sanitized.sh [JOBS [CTEST-OPTION...]]; without options: all but the long ones. Leaks are errors; a stuck test fails
# by its time limit instead of holding up everything. The recorded programs themselves are the same there.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
shift $(($# > 0))
CC=clang scripts/build.sh build-asan "$jobs" -DHEDDLE_SANITIZE=ON -DHEDDLE_WERROR=ON
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1 HEDDLE_TEST_SANITIZED=1
exec ctest --test-dir build-asan --output-on-failure -j "$jobs" -LE long --timeout 600 "$@"
