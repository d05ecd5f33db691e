#!/usr/bin/env bash
# Configures and builds quietly: build.sh DIR JOBS [CMake options]. The log, shown on failure, is of this run only.
set -u
dir=$1 jobs=$2
shift 2
mkdir -p "$dir" || exit 1
log=$dir/build.log
# A tree that was moved or copied with its build folder starts anew.
if [ -f "$dir/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$dir/CMakeCache.txt"; then
    set -- --fresh "$@"
fi
if cmake -S . -B "$dir" -G Ninja "$@" >"$log" 2>&1 && cmake --build "$dir" -j "$jobs" >>"$log" 2>&1; then
    exit 0
fi
# Ninja's progress lines hide the message that matters.
grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Generating\)' "$log" >&2
echo "heddle: the build failed; the whole log is in $log" >&2
exit 1
