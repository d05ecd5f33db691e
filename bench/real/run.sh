#!/usr/bin/env bash
# Real programs, built from Debian's source packages: natively, under ThreadSanitizer and with heddle cc; run in
# all three ways; what they print compared; the trace checked and analysed. Prints CSV. Exit status 1 when a program
# cannot be built, or its recorded run fails or prints something else than the native one. README.md says more.
#   bench/real/run.sh [NAME...]
# Environment: HEDDLE, HEDDLE_REAL_DIR (work folder), SIZE (bytes to compress), ROUNDS (of the loads), FRAMES,
# RECORD_OPTIONS, MODES (of native tsan heddle reports), REPEAT (runs in each mode), LIMIT_S (seconds for each run), BUDGET (of
# analyze; none: record only), REPLAYS (at most, for each case).
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh" || exit 1
export HEDDLE=${HEDDLE:-$here/../../build/heddle} SIZE=${SIZE:-5000000} ROUNDS=${ROUNDS:-50} FRAMES=${FRAMES:-20} RECORD_OPTIONS=${RECORD_OPTIONS:-}
export dir=${HEDDLE_REAL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/heddle-real}
modes=${MODES:-native tsan heddle reports} limit_s=${LIMIT_S:-1800} budget=${BUDGET:-120s} replays=${REPLAYS:-1000} repeat=${REPEAT:-1}
[ -x "$HEDDLE" ] || die "build heddle first: $HEDDLE is missing"
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
[ "$dir/measure" -nt "$here/measure.c" ] || ${CC:-cc} -O2 "$here/measure.c" -o "$dir/measure" || die "no compiler"
export here limit_s

# field MODE N: a figure of the last run.
field() {
    cut -d' ' -f"$2" "$dir/run/$name-$case/$1/time" 2>/dev/null || echo 0
}

# One line for each time the case was run: CPU seconds native, under ThreadSanitizer, recorded; 0 for those not run.
note_times() {
    echo "$(field native 1) $(field tsan 1) $(field heddle 1)" >>"$dir/run/$name-$case/times"
}

# Prints medians of what note_times wrote: native, tsan, recorded, recorded to native, recorded to tsan.
medians() {
    awk 'function put(k, v) { x[k, ++n[k]] = v }
        function median(k,   i, j, t) {
            if (!n[k])
                return "-"
            for (i = 2; i <= n[k]; i++)
                for (j = i; j > 1 && x[k, j - 1] > x[k, j]; j--) {
                    t = x[k, j]; x[k, j] = x[k, j - 1]; x[k, j - 1] = t
                }
            return (x[k, int((n[k] + 1) / 2)] + x[k, int(n[k] / 2) + 1]) / 2
        }
        { put(1, $1 + 0); put(2, $2 + 0); put(3, $3 + 0) }
        $1 > 0 { put(4, $3 / $1) }
        $2 > 0 { put(5, $3 / $2) }
        END { print median(1), median(2), median(3), median(4), median(5) }' "$dir/run/$name-$case/times"
}

# Prints "races undecided seconds peak_kb", or words that say why not.
analyse() {
    local at=$dir/run/$name-$case/heddle
    "$HEDDLE" trace check "$at/trace.hdt" >"$at/check" 2>&1 || {
        echo "refused - - -"
        return
    }
    "$dir/measure" "$at/time-analyze" timeout -k 10 "$limit_s" "$HEDDLE" analyze --quiet --budget "$budget" \
        --witness-dir "$at/witnesses" "$at/trace.hdt" \
        >"$at/analysis" 2>"$at/analyze.err"
    read -r cpu _ _ own <"$at/time-analyze"
    local found
    found=$(sed -nE 's/.*: ([0-9]+) races? in .*; ([0-9]+) undecided.*/\1 \2/p' "$at/analysis" | tail -1)
    echo "${found:-failed -} $cpu $own"
}

# Runs the program under the schedule of each race, where it was recorded, without what it left there; prints how
# many happened, of how many tried. The file `verdicts` has the first line of each answer.
confirm() {
    local at=$dir/run/$name-$case/heddle yes=0 tried=0
    : >"$at/verdicts"
    for witness in "$at"/witnesses/*.json; do
        [ -e "$witness" ] && [ $tried -lt "$replays" ] || break
        tried=$((tried + 1))
        (cd "$at" && rm -rf "${leaves[@]}" && timeout -k 10 "$limit_s" "$HEDDLE" replay --timeout 600 --order first "$witness") >"$at/replay.$tried" 2>&1 </dev/null
        [ $? -ne 66 ] || yes=$((yes + 1))
        echo "$(basename "$witness") $(head -1 "$at/replay.$tried")" >>"$at/verdicts"
    done
    echo "$yes of $tried"
}

one_case() {
    local same=- events=- bytes=- races=- undecided=- cpu_a=- kb_a=- reports=- confirmed=- n t r slow ratio
    local at=$dir/run/$name-$case
    mkdir -p "$at" && : >"$at/times" && rm -f "$at"/*/time
    for _ in $(seq "$repeat"); do
        for mode in ${modes/reports/}; do
            run_mode "$case" "$mode" || { [ "$mode" = heddle ] && same=failed; }
        done
        note_times
        if [ $same != failed ] && [ $same != differs ] && [ -s "$at/heddle/out" ]; then
            same=differs && cmp -s "$at/native/out" "$at/heddle/out" && same=same
        fi
    done
    case " $modes " in *" heddle "*) [ $same = same ] || failed=1 ;; esac
    events=$(sed -nE 's/.*: ([0-9]+) (events|log entries).*/\1/p' "$at/heddle/err" | tail -1)
    bytes=$(stat -c %s "$at/heddle/trace.hdt" 2>/dev/null)
    [ "$budget" = none ] || [ ! -e "$at/heddle/trace.hdt" ] || read -r races undecided cpu_a kb_a <<<"$(analyse)"
    [ "$budget" = none ] || [ "$needs_client" = "$case" ] || confirmed=$(confirm)
    case " $modes " in *" reports "*) run_mode "$case" reports ;; esac
    reports=$(cat "$at"/reports/tsan.log* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer: data race')
    read -r n t r slow ratio <<<"$(medians)"
    awk -v OFS=, -v p="$name" -v c="$case" -v e="${events:-0}" -v b="${bytes:-0}" -v n="$n" -v t="$t" -v r="$r" -v slow="$slow" -v ratio="$ratio" \
        -v own="$(field heddle 3)" -v fam="$(field heddle 4)" -v same="$same" -v races="$races" \
        -v und="$undecided" -v ca="$cpu_a" -v ka="$kb_a" -v rep="$reports" -v conf="$confirmed" 'BEGIN {
            each = e ? sprintf("%.2f", b / e) : "-"
            slow = slow == "-" ? slow : sprintf("%.0f", slow)
            ratio = ratio == "-" ? ratio : sprintf("%.2f", ratio)
            print p, c, e, b, each, n, t, r, slow, ratio, int(own / 1024), int(fam / 1024), same, races, conf, und, ca, int(ka / 1024), rep }'
}

echo "program,case,events,trace bytes,bytes/event,native cpu s,tsan cpu s,recorded cpu s,slow-down,ratio to tsan,recorder MB,largest process MB,output,races,confirmed,undecided,analyze cpu s,analyze MB,tsan reports"
status=0 failed=0
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
    for mode in native $modes; do
        build_mode "$mode" || { status=1; continue 2; }
    done
    [ -e "$inputs/.ready" ] || { rm -rf "$inputs" && mkdir -p "$inputs" && input && touch "$inputs/.ready"; } || die "$name: no input"
    for case in "${cases[@]}"; do
        one_case
    done
done
[ $status -eq 0 ] && [ $failed -eq 0 ] || exit 1
