#!/usr/bin/env bash
# Usage: scripts/check-callers.sh BUILD. Fails if a function or table of ours with external linkage
# is not used by another object file: it is dead, or should be static.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
# Object files of sources that have gone stay in a build folder; they say nothing.
objects=()
while read -r object; do
    folder=${object#"$build"/} source=${object#*.dir/}
    [ ! -f "${folder%%CMakeFiles*}${source%.o}" ] || objects+=("$object")
done < <(find "$build" -name '*.o' | sort)
[ ${#objects[@]} -gt 0 ] || { echo "check-callers: no object files in $build: build first" >&2; exit 1; }
unused=$(nm -A "${objects[@]}" 2>/dev/null | awk '
    { n = split($0, part, " "); name = part[n]; kind = part[n - 1] }
    name !~ /^hd_/ { next }
    kind == "U" { used[name] = 1 }
    kind ~ /^[TDRB]$/ { sub(/:.*/, "", part[1]); from[name] = part[1] }
    END { for (name in from) if (!used[name]) print name, from[name] }' | sort |
    while read -r name from; do # a call that this build leaves out (#if, HD_SANITIZED) is a call
        [ "$(grep -rlw --include='*.c' --include='*.inc' "$name" src tests bench | wc -l)" -gt 1 ] ||
            echo "$name ($from)"
    done)
[ -z "$unused" ] || { echo "$unused"; echo "check-callers: no other file uses these: delete them or make them static" >&2; exit 1; }
