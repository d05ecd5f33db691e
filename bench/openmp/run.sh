#!/usr/bin/env bash
# CPU time of recording four OpenMP kernels against ThreadSanitizer, in one run: run.sh [-o CSV] HEDDLE
# ThreadSanitizer runs with LLVM's libomp, without Archer; it needs libomp-dev. The best of three runs counts.
set -u
out=
[ "${1:-}" = -o ] && { out=$(realpath -m "$2"); shift 2; }
heddle=$(realpath "${1:?usage: run.sh [-o CSV] HEDDLE}")
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
cpu() { # cpu COMMAND...: user and system seconds, the best of three
    for _ in 1 2 3; do
        { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
    done | sort -n | head -1
}
lines="kernel,native,tsan,heddle record,heddle/tsan"
for source in "$here"/*.c; do
    name=$(basename "$source" .c)
    clang -O2 -g -fopenmp "$source" -o native && clang -O2 -g -fopenmp -fsanitize=thread "$source" -o tsan &&
        "$heddle" cc -O2 -g -fopenmp "$source" -o ours || exit 1
    n=$(cpu ./native) t=$(cpu env TSAN_OPTIONS=report_bugs=0 ./tsan) h=$(cpu "$heddle" -q record -o t.hdt -- ./ours)
    lines+=$'\n'"$name,$n,$t,$h,$(awk -v a="$h" -v b="$t" 'BEGIN { printf "%.2f", b ? a / b : 0 }')"
done
column -s, -t <<<"$lines"
[ -z "$out" ] || printf '%s\n' "$lines" >"$out"
