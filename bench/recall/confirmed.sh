#!/usr/bin/env bash
# The share of predicted races that a replay confirms, on the project's own programs: one plain `heddle run` of each.
# confirmed.sh HEDDLE [SOURCE...]: a line for each race that is predicted only, and the sum. Exit 1 below 99 %.
set -u
[ $# -ge 1 ] || { echo "usage: confirmed.sh HEDDLE [SOURCE...]" >&2; exit 2; }
heddle=$(realpath "$1")
shift
tree=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "$tree"/examples/*.c "$tree"/tests/{record,replay,property,explore}/*.c \
    "$tree"/tests/{record,replay}/*.cpp "$tree"/bench/recall/*.c "$tree"/bench/recall/*.cpp
mapfile -t sources < <(realpath -- "$@")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for source in "${sources[@]}"; do
    name=$(basename "$(dirname "$source")")/$(basename "$source")
    compile="cc -D_GNU_SOURCE"
    [ "${source%.cpp}" = "$source" ] || compile="c++ -std=c++20"
    # shellcheck disable=SC2086
    "$heddle" $compile -g -O1 -w -DV=1 -I"$tree/include" -pthread "$source" -o prog >/dev/null 2>&1 ||
        { echo "$name: not compiled" >&2; continue; }
    rm -rf out
    timeout -k 5 120 "$heddle" run -q -t 1 --timeout 10 -o out -- ./prog >/dev/null 2>&1 </dev/null
    [ -e out/report.json ] || { echo "$name: no report" >&2; continue; }
    jq -r --arg name "$name" '.races[] | select(.property == "race") |
        [$name, .status, .variable, (.accesses | map("\(.file):\(.line)") | join(" ")), .verdict // ""] | @tsv' out/report.json
done >all
awk -F'\t' '$2 == "confirmed" { confirmed++ } $2 == "predicted" { print } { n++ }
    END { printf "%d races, %d confirmed\n", n, confirmed; exit n == 0 || confirmed < 0.99 * n }' all
