#!/usr/bin/env bash
# CPU time of recording four OpenMP kernels against ThreadSanitizer, in one run: run.sh [-o CSV] HEDDLE
# ThreadSanitizer runs with LLVM's libomp, and with Archer if there is one (Debian: libomp-14-dev). The best of three runs
# counts; the ratio is that to ThreadSanitizer with Archer, else to the one without.
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
archer=$(find "$(dirname "$(realpath "$(command -v clang)")")/../lib" -name libarcher.so 2>/dev/null | head -1)
lines="kernel,native,tsan,tsan with Archer,heddle record,ratio"
for source in "$here"/*.c; do
    name=$(basename "$source" .c)
    clang -O2 -g -fopenmp "$source" -o native && clang -O2 -g -fopenmp -fsanitize=thread "$source" -o tsan &&
        "$heddle" cc -O2 -g -fopenmp "$source" -o ours || exit 1
    n=$(cpu ./native) t=$(cpu env TSAN_OPTIONS=report_bugs=0 ./tsan) h=$(cpu "$heddle" -q record -o t.hdt -- ./ours)
    a=-
    [ -z "$archer" ] || a=$(cpu env TSAN_OPTIONS="report_bugs=0 ignore_noninstrumented_modules=1" OMP_TOOL_LIBRARIES="$archer" ./tsan)
    base=$t
    [ "$a" = - ] || base=$a
    lines+=$'\n'"$name,$n,$t,$a,$h,$(awk -v a="$h" -v b="$base" 'BEGIN { printf "%.2f", b ? a / b : 0 }')"
done
column -s, -t <<<"$lines"
[ -z "$out" ] || printf '%s\n' "$lines" >"$out"
