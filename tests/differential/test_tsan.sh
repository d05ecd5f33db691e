#!/usr/bin/env bash
# Random programs under ThreadSanitizer and under Heddle, compared by pairs of lines:
# - each race that ThreadSanitizer sees in one of its runs is predicted by Heddle from its single run;
# - each race that Heddle predicts happens when it is replayed.
# Every third program is in free form (see generate.c): only the second sentence holds for it.
# HEDDLE_TEST_SEEDS="FROM TO" chooses the programs. HEDDLE, TESTS, TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
read -r from to <<<"${HEDDLE_TEST_SEEDS:-1 12}"
work=$TMP_DIR/differential-tsan
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cc -O1 "$TESTS/differential/generate.c" -o generate || exit 1

tsan_pairs() { # from ThreadSanitizer's reports: "LOW HIGH", the lines of the two accesses
    awk '/WARNING: ThreadSanitizer: data race/ { n = 0; race = 1 }
         race && /^    #0 / { if (match($0, /p\.c:[0-9]+/)) line[n++] = substr($0, RSTART + 4, RLENGTH - 4) + 0
                              if (n == 2) { race = 0
                                  print (line[0] < line[1]) ? line[0] " " line[1] : line[1] " " line[0] } }'
}

heddle_pairs() {
    jq -r '.races[] | [.accesses[].line] | sort | map(tostring) | join(" ")' heddle-out/latest/report.json
}

failed=0 seen=0 predicted=0
for seed in $(seq "$from" "$to"); do
    free=
    [ $((seed % 3)) -ne 0 ] || free=free
    mkdir "$seed" && cd "$seed" && ../generate "$seed" $free >p.c || exit 1
    clang -g -O0 -pthread -fsanitize=thread p.c -o tsan 2>/dev/null || exit 77
    : >tsan.pairs
    [ -n "$free" ] || for _ in 1 2 3; do timeout 60 ./tsan 2>&1 >/dev/null; done | tsan_pairs | sort -u >tsan.pairs
    "$HEDDLE" cc -g -O0 p.c -o heddle 2>build.err || { cat build.err; exit 1; }
    timeout 120 "$HEDDLE" run --times 1 -- ./heddle >run.out 2>run.err </dev/null
    code=$?
    case $code in 0 | 66) ;; *) echo "seed $seed: heddle run ends with $code: $(tail -2 run.err)"; failed=1 ;; esac
    heddle_pairs | sort -u >heddle.pairs
    missed=$(comm -23 tsan.pairs heddle.pairs)
    [ -z "$missed" ] || { echo "seed $seed: ThreadSanitizer alone sees lines $missed"; failed=1; }
    apart=$(jq -r '.races[] | select(.status != "confirmed") | .id + " " + .status + " " + (.reason // "")' heddle-out/latest/report.json)
    [ -z "$apart" ] || { echo "seed $seed: not confirmed: $apart"; failed=1; }
    [ "$(jq '.undecided | length' heddle-out/latest/report.json)" = 0 ] || { echo "seed $seed: undecided pairs"; failed=1; }
    seen=$((seen + $(wc -l <tsan.pairs))) predicted=$((predicted + $(wc -l <heddle.pairs)))
    cd ..
done
echo "seeds $from to $to: pairs of lines: $seen seen by ThreadSanitizer, $predicted predicted and confirmed"
[ "$seen" -gt 0 ] || { echo "ThreadSanitizer saw nothing: the comparison says nothing"; failed=1; }
exit $failed
