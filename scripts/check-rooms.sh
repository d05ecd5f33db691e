#!/usr/bin/env bash
# Every room has a README.md that names each of its files and no file that is gone; ARCHITECTURE.md lists the rooms.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
for dir in src/*/ include/heddle/; do
    readme=${dir}README.md
    [ -d "$dir" ] || continue
    [ -f "$readme" ] || { echo "$readme is missing"; status=1; continue; }
    while IFS= read -r file; do
        name=${file#"$dir"}
        stem=$(basename "${name%.*}")
        stem=${stem//+/[+]}
        # `vec.c`, `vec.[ch]` and plain vec all name vec.c; one line may stand for all cmd_*.c.
        case $name in cmd_*.c) grep -q 'cmd_<' "$readme" && continue ;; esac
        grep -qE "(^|[^A-Za-z0-9_])$stem([^A-Za-z0-9_]|\$)" "$readme" || { echo "$readme does not name $name"; status=1; }
    done < <(find "$dir" -type f ! -name README.md ! -name CMakeLists.txt | sort)
    while IFS= read -r stem; do
        compgen -G "$dir$stem.*" >/dev/null || { echo "$readme names $stem, which is not there"; status=1; }
    done < <(sed -nE 's/^\| *([^|]*)\|.*/\1/p' "$readme" | grep -v '<' | grep -oE '[A-Za-z0-9_/+]+\.(c|h|cpp|\[ch\])' | sed -E 's/\..*//')
done
# The table of docs/ARCHITECTURE.md is that of scripts/rooms.txt.
missing=$(awk -F' *[|] *' '/^[a-z]/ { printf "| `%s/` | %s | %s |\n", $1, $4, $5 }' scripts/rooms.txt |
    grep -vxFf docs/ARCHITECTURE.md)
[ -z "$missing" ] || { printf 'docs/ARCHITECTURE.md lacks this row of scripts/rooms.txt: %s\n' "$missing"; status=1; }
# So is the list of rooms that can be logged; five of them are not part of the tool or have no code.
listed=$(sed -n 's/^ *X([A-Z]*, "\([a-z]*\)").*/\1/p' src/base/log.h 2>/dev/null)
rooms=$(awk -F' *[|] *' '/^[a-z]/ && $1 !~ /^(abi|log|pass|rt|openmp)$/ { print $1 }' scripts/rooms.txt)
[ -z "$listed" ] || [ "$listed" = "$rooms" ] || { echo "HD_ROOMS of src/base/log.h is not the list of scripts/rooms.txt"; status=1; }
exit $status
