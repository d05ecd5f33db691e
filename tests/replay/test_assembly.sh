#!/usr/bin/env bash
# Inline assembly that the pass cannot read: named, nothing false comes of it, no run and no replay hangs, and that
# nothing was found is not taken for an answer (exit code 5). Assembly that reads and writes is a race that is confirmed.
. "$TESTS/replay/lib.sh" || exit 1
start assembly
for way in 1 2 3 4; do
    "$HEDDLE" cc -g -O1 -pthread -DV=$way "$TESTS/replay/assembly.c" -o good || fail "heddle cc"
    "$HEDDLE" cc -g -O1 -pthread -DV=$way -DBAD "$TESTS/replay/assembly.c" -o bad || fail "heddle cc"
    timeout -k 5 60 "$HEDDLE" run -o "good.$way" -- ./good >out 2>err </dev/null
    [ $? -eq 5 ] || fail "$way, correct: exit $?: $(cat err)"
    has err '^Not modelled: inline assembly'
    has err 'inline assembly ran that could not be read'
    jq -e '.races == [] and .runs == 4' "good.$way/report.json" >/dev/null || fail "$way, correct: $(cat err)"
    timeout -k 5 60 "$HEDDLE" run -o "bad.$way" -- ./bad >out 2>err </dev/null
    [ $? -eq 66 ] || fail "$way: exit $?: $(cat err)"
    jq -e '[.races[].status] | unique == ["confirmed"]' "bad.$way/report.json" >/dev/null || fail "$way: $(cat err)"
    for seed in 1 2 3 4 5; do
        timeout -k 5 20 "$HEDDLE" record -q --policy pct --steps 60 --seed $seed -o now.hdt -- ./good >out 2>err </dev/null ||
            fail "$way, seed $seed: exit $?: $(cat err)"
        [ "$(stat -c %s now.hdt)" -le 100000 ] || fail "$way, seed $seed: $(stat -c %s now.hdt) bytes"
    done
done
"$HEDDLE" run --allow-undecided -o allowed -- ./good >out 2>err </dev/null || fail "allowed: exit $?: $(cat err)"

for text in 'incl %0' 'incl %0; incl %0'; do
    "$HEDDLE" cc -g -O1 -pthread "-DPLAIN=\"$text\"" "$TESTS/replay/assembly.c" -o plain || fail "heddle cc"
    rm -rf plain.out
    timeout -k 5 60 "$HEDDLE" run -o plain.out -- ./plain >out 2>err </dev/null
    [ $? -eq 66 ] || fail "$text: exit $?: $(cat err)"
    jq -e '[.races[] | [.variable, .status]] | unique == [["data", "confirmed"]]' plain.out/report.json >/dev/null ||
        fail "$text: $(cat err)"
done
exit 0
