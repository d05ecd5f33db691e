#!/usr/bin/env bash
# Where many findings share an access, one replay confirms those that it comes to while that access waits, and says so.
. "$TESTS/replay/lib.sh" || exit 1
start met
cp "$TESTS/replay/met.c" .
build_all met

# The first eight have replays of their own, of both orders. The ninth keeps the copy back: what the writer still does
# with the fields races with it, and nothing else that it does. Without the pass it is not known which bytes the call
# is going to copy before it copies them, so none counts.
for built in pass clang gcc; do
    HD_LOG=session:debug "$HEDDLE" run --runs 1 -o "$built.out" -- "./$built" >out 2>err </dev/null
    [ $? -eq 66 ] || fail "$built: exit $?: $(cat err)"
    jq -e '[.races[].status] == [range(12) | "confirmed"]' "$built.out/report.json" >/dev/null || fail "$built: not all confirmed: $(cat err)"
    jq -e '[.races[].replays | select(.of == null and .confirmed == 6 and .tried == 6)] | length == 8' "$built.out/report.json" >/dev/null ||
        fail "$built: not eight replays: $(jq -c '[.races[].replays]' "$built.out/report.json")"
    [ $built = pass ] || { ! grep -q ' [1-9][0-9]* places met' err || fail "$built: $(grep 'places met' err)"; continue; }
    jq -e '(.races | map(select(.replays.tried == 1 and .replays.of == null)) | map(.id)) as [$id]
        | [.races[].replays | select(.of == $id and .confirmed == 1)] | length == 3' "$built.out/report.json" >/dev/null ||
        fail "$built: not three met: $(jq -c '[.races[].replays]' "$built.out/report.json")"
    # twelve fields, less the eight that were written before the one whose replay it is
    [ "$(grep -c '1 of 1 confirmed, 4 places met' err)" = 1 ] || fail "$built: $(grep 'places met' err)"
    [ "$(grep -c ' 0 places met' err)" = 8 ] || fail "$built: something was met where nothing waited: $(grep 'places met' err)"
    with=$(jq -r '[.races[].replays.of | select(.)][0]' "$built.out/report.json")
    [ "$(grep -c "\[confirmed with $with\] R-" err)" = 3 ] || fail "$built: the text does not say with which: $(cat err)"
    grep -q "confirmed with $with" "$built.out/report.html" || fail "$built: the page does not say with which"
done
"$HEDDLE" report -v pass.out >out 2>err || fail "report: $(cat err)"
has out "confirmed with $(jq -r '[.races[].replays.of | select(.)][0]' pass.out/report.json)"

# Such a finding has a witness like others, and a replay of its own.
one=$(jq -r '[.races[] | select(.replays.of)][0].witness' pass.out/report.json)
replay 66 "pass.out/$one"
has out CONFIRMED

# The same places, but another object: that race is not the one that was found, which has a replay of its own.
cp "$TESTS/replay/met_objects.c" .
"$HEDDLE" cc -g -O1 -pthread met_objects.c -o objects || fail "heddle cc"
"$HEDDLE" run --runs 1 -o objects.out -- ./objects >out 2>err </dev/null
[ $? -eq 66 ] || fail "objects: exit $?: $(cat err)"
jq -e '[.races[] | select(.replays.of)] | length > 0' objects.out/report.json >/dev/null || fail "objects: none met: $(cat err)"
jq -e '[.races[] | select(.variable | startswith("second"))] | length == 1 and .[0].status == "confirmed" and .[0].replays.of == null' objects.out/report.json >/dev/null ||
    fail "objects: $(jq -c '[.races[] | [.variable, .status, .replays]]' objects.out/report.json)"

# Time for replays that the user asks for is used: each finding has its own.
"$HEDDLE" run -q --runs 1 --replay-time none -o none.out -- ./pass >out 2>err </dev/null
jq -e '[.races[].replays | select(.of == null and .confirmed == 6 and .tried == 6)] | length == 12' none.out/report.json >/dev/null ||
    fail "--replay-time none: $(jq -c '[.races[].replays]' none.out/report.json)"

# Long schedules of many findings have 80,000 events in all, and 200 for each.
"$HEDDLE" cc -g -O1 -pthread -DROUNDS=10000 met.c -o long || fail "heddle cc"
"$HEDDLE" run -q --runs 1 -t 1 -o long.out -- ./long >out 2>err </dev/null
[ $? -eq 66 ] || fail "long: exit $?: $(cat err)"
jq -e '[.races[].schedule | length] | length == 12 and max > 10000 and min > 100 and add <= 80000 + 12 * 200' long.out/report.json >/dev/null ||
    fail "long: $(jq -c '[.races[].schedule | length]' long.out/report.json)"
jq -e '[.races[] | (.schedule | length) + .left_out] | min > 20000' long.out/report.json >/dev/null || fail "long: not all counted"
jq -e '[.races[].schedule | map(select(.racing)) | length] | min == 2 and max == 2' long.out/report.json >/dev/null || fail "long: the accesses are not there"
