#!/usr/bin/env bash
# Measures causality graphs and keeps the rows: bench/ucg.sh [-b BUILD] [-d DIRECTORY]... [SECTION or FILE...]. Without
# sections and files: all sections of bench_ucg. -d adds every .std file below a directory; the C programs of examples/
# are recorded and added with -e. Prints what it measures and writes the rows to bench/results/ucg.csv.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build
items=() examples=
while getopts 'b:d:e' option; do
    case $option in
        b) build=$OPTARG ;;
        d) while IFS= read -r file; do items+=("$file"); done < <(find "$OPTARG" -name '*.std' -size -100k | sort) ;;
        e) examples=yes ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
if [ -n "$examples" ]; then
    for source in "$here"/../examples/*.c; do
        name=$(basename "$source" .c)
        (cd "$scratch" && "$build/heddle" cc -g -O1 -pthread "$source" -o "$name" &&
            timeout 60 "$build/heddle" record -o "$name.hdt" "./$name" && "$build/heddle" trace convert "$name.hdt" "$name.trace") \
            >"$scratch/log" 2>&1
        [ -s "$scratch/$name.trace" ] && items+=("$scratch/$name.trace")
    done
fi
[ $# = 0 ] && [ ${#items[@]} = 0 ] && set -- filters saved depth=2000 depth=200000
results=$here/results/ucg.csv
date=$(date -u +%Y-%m-%d)
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ')
machine="${machine:-unknown} x$(nproc)"
"$build/bench/bench_ucg" "$@" ${items[@]+"${items[@]}"} | while IFS= read -r line; do
    echo "$line"
    case $line in
        '#'*) ;;
        section,*) grep -qxF "date,commit,machine,$line" "$results" 2>/dev/null || echo "date,commit,machine,$line" >>"$results" ;;
        *) echo "$date,$commit,$machine,$line" >>"$results" ;;
    esac
done
