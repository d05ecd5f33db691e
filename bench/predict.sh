#!/usr/bin/env bash
# Measures prediction and keeps the rows: bench/predict.sh [-b BUILD] [-d DIRECTORY] [SECTION...]. Sections are those of
# bench_predict (bench/README.md); without any, the whole series up to 10^6 events. -d adds every .std file below a
# directory. Prints what it measures and appends the rows to bench/results/predict.csv.
set -u
here=$(dirname "$0")
build=$here/../build
files=()
while getopts 'b:d:' option; do
    case $option in
        b) build=$OPTARG ;;
        d) while IFS= read -r file; do files+=("$file"); done < <(find "$OPTARG" -name '*.std' | sort) ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# = 0 ] && [ ${#files[@]} = 0 ]; then
    set -- program=10000 program=100000 program=1000000 ratio=500 ratio=1000 ratio=2000 ratio=5000 \
        mixed=400 memory=1000 jobs=2000
fi
results=$here/results/predict.csv
mkdir -p "$here/results"
date=$(date -u +%Y-%m-%d)
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr ',' ' ')
machine="${machine:-unknown} x$(nproc)"
"$build/bench/bench_predict" "$@" ${files[@]+"${files[@]}"} | while IFS= read -r line; do
    echo "$line"
    case $line in
        '#'*) ;;
        trace,mode,*) [ -s "$results" ] || echo "date,commit,machine,$line" >>"$results" ;;
        *) echo "$date,$commit,$machine,$line" >>"$results" ;;
    esac
done
exit "${PIPESTATUS[0]}"
