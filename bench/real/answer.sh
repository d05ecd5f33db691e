#!/usr/bin/env bash
# From a real program to an answer: one `heddle run` of each case, beside one recording and ThreadSanitizer. Prints CSV.
#   bench/real/answer.sh [NAME...]
# Environment as for run.sh; RUN_OPTIONS for heddle run; MEMORY_KB: no process may take more address space (16000000).
# Cases that need clients from outside are left out: a later run would wait for them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh" || exit 1
export HEDDLE=${HEDDLE:-$here/../../build/heddle} SIZE=${SIZE:-5000000} ROUNDS=${ROUNDS:-50} FRAMES=${FRAMES:-20} RUN_OPTIONS=${RUN_OPTIONS:-}
export dir=${HEDDLE_REAL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/heddle-real}
modes=${MODES:-tsan reports heddle answer} limit_s=${LIMIT_S:-1800}
[ -x "$HEDDLE" ] || die "build heddle first: $HEDDLE is missing"
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
[ "$dir/measure" -nt "$here/measure.c" ] || ${CC:-cc} -O2 "$here/measure.c" -o "$dir/measure" || die "no compiler"
export here limit_s

# cpu MODE: seconds of the last run in this mode, or -
cpu() {
    cut -d' ' -f1 "$dir/run/$name-$case/$1/time" 2>/dev/null || echo -
}

one_case() {
    local at=$dir/run/$name-$case report races=- confirmed=- undecided=- mb=- limit
    for mode in $modes; do
        rm -f "$at/$mode/time"
        limit=unlimited # ThreadSanitizer maps terabytes
        [[ $mode == tsan || $mode == reports ]] || limit=${MEMORY_KB:-16000000}
        (ulimit -v "$limit" && run_mode "$case" "$mode")
    done
    report=$at/answer/answer/report.json
    if [ -s "$report" ]; then
        races=$(jq '.races | length' "$report")
        confirmed=$(jq '[.races[] | select(.status == "confirmed")] | length' "$report")
        undecided=$(jq '.undecided | length' "$report")
        mb=$(awk '{ print int($4 / 1024) }' "$at/answer/time")
    fi
    reports=$(cat "$at"/reports/tsan.log* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer: data race')
    awk -v OFS=, -v p="$name" -v c="$case" -v t="$(cpu tsan)" -v r="$(cpu heddle)" -v a="$(cpu answer)" -v mb="$mb" -v races="$races" \
        -v conf="$confirmed" -v und="$undecided" -v rep="$reports" 'BEGIN {
            print p, c, t, r, a, (r > 0 && a != "-" ? sprintf("%.1f", a / r) : "-"), mb, races, conf, und, rep }'
}

echo "program,case,tsan cpu s,recorded cpu s,run cpu s,run to recorded,largest process MB,races,confirmed,undecided,tsan reports"
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.sh | sed 's|./||;s|\.sh$||' | grep -vx -e lib -e run -e answer)
for name; do
    [ -e "$here/$name.sh" ] || die "there is no $name.sh"
    export name src=$dir/src inputs=$dir/inputs/$name-$SIZE-$FRAMES native=$dir/build/$name/native
    needs_client=no leaves=(out)
    . "$here/$name.sh" || exit 1
    for package in "${packages[@]}"; do
        fetch "$package"
    done
    mkdir -p "$dir/build/$name"
    for mode in native ${modes/answer/heddle}; do
        build_mode "$mode" || continue 2
    done
    [ -e "$inputs/.ready" ] || { rm -rf "$inputs" && mkdir -p "$inputs" && input && touch "$inputs/.ready"; } || die "$name: no input"
    for case in "${cases[@]}"; do
        [ "$case" = "$needs_client" ] || one_case
    done
done
