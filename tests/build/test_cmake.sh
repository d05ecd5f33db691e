#!/usr/bin/env bash
# CMake with heddle-cc and heddle-c++, also for a project whose ThreadSanitizer switch is on.
. "$(dirname "$0")/common.sh" || exit 1
for flags in "" "-fsanitize=thread -g"; do
    rm -rf "$work/out"
    cmake -S "$projects/cmake" -B "$work/out" -G Ninja -DCMAKE_C_COMPILER="$bin/heddle-cc" \
        -DCMAKE_CXX_COMPILER="$bin/heddle-c++" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
        -DCMAKE_EXE_LINKER_FLAGS="${flags% -g}" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake"; }
    cmake --build "$work/out" >>"$work/log" 2>&1 || { cat "$work/log"; fail "build"; }
    check_program "$work/out/prog" "counter 3"
    check_program "$work/out/prog2" "list 5"
    objdump -h "$work/out/libmore.so" | grep -q heddle_sites || fail "libmore.so is not instrumented"
done
