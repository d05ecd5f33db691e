#!/usr/bin/env bash
# Every program of cases.txt: compiled, recorded once, analysed. What is found must be what the table says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/order/cases
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
rows=0 failed=0
while IFS=';' read -r what expected; do
    read -ra words <<<"$what"
    expected=${expected# }
    name=${words[0]}
    if ! "$HEDDLE" cc -g -I"$here" "${words[@]:1}" "$here/$name.c" -o prog -pthread -latomic 2>cc.err ||
        ! timeout 60 "$HEDDLE" record -o run.hdt -- ./prog >out 2>err </dev/null; then
        echo "FAIL $what: $(tail -2 cc.err err)" && failed=1
        continue
    fi
    timeout 60 "$HEDDLE" analyze run.hdt >analysis 2>>err
    found=$({
        sed -n 's/^[0-9]*\. Unordered race on \([a-z]*\).*/unordered \1/p' analysis
        sed -n 's/^[0-9]*\. Race on \([a-z]*\).*/race \1/p' analysis
        sed -n 's/^Follows from .* unordered accesses to \([a-z]*\),.*/follows \1/p' analysis
    } | sort -ru | paste -sd, | sed 's/,/, /g')
    [ "${found:-quiet}" = "$expected" ] || {
        echo "FAIL $what: expected $expected, found ${found:-quiet}"
        failed=1
    }
    ! grep -q '^Undecided' analysis || {
        echo "FAIL $what: $(grep -m 1 '^Undecided' analysis)"
        failed=1
    }
    rows=$((rows + 1))
done < <(grep -v '^#' "$here/cases.txt")
[ $rows -ge 50 ] || { echo "FAIL only $rows programs"; failed=1; }
exit $failed
