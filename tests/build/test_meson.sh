#!/usr/bin/env bash
# Meson with heddle-cc. Meson wants its sources inside the project, so they are copied.
command -v meson >/dev/null || { echo "meson is not installed"; exit 77; }
. "$(dirname "$0")/common.sh" || exit 1
mkdir -p "$work/project/src"
cp "$projects/meson/meson.build" "$work/project/"
cp "$projects"/*.c "$projects"/*.cpp "$work/project/src/"
CC=$bin/heddle-cc CXX=$bin/heddle-c++ meson setup "$work/out" "$work/project" >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "meson setup"; }
ninja -C "$work/out" >>"$work/log" 2>&1 || { cat "$work/log"; fail "build"; }
check_program "$work/out/prog" "counter 3"
check_program "$work/out/prog2" "list 5"
