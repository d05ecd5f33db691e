#!/usr/bin/env bash
# When the replay of a predicted pair fails, other pairs of the same two places are tried.
. "$TESTS/replay/lib.sh" || exit 1
start others
gcc -O1 -c "$TESTS/replay/others_hidden.c" -o hidden.o || fail gcc
for open in 0 2; do # before the first write; before none
    "$HEDDLE" cc -g -O0 -pthread -DOPEN=$open "$TESTS/replay/others.c" hidden.o -o others.$open || fail "heddle cc"
    HD_LOG=session:debug "$HEDDLE" run --runs 1 -o out.$open -- ./others.$open >out 2>err </dev/null
    echo $? >code.$open
    mv err err.$open
done
[ "$(cat code.0)" -eq 66 ] || fail "exit $(cat code.0): $(cat err.0)"
grep -q 'only predicted: diverged' err.0 || fail "the first pair was confirmed, nothing is tested: $(cat err.0)"
grep -q 'data race on data \[confirmed' err.0 || fail "no other pair was tried: $(cat err.0)"
"$HEDDLE" replay --run out.0 --order first >out 2>err </dev/null
[ $? -eq 66 ] || fail "the witness that is kept is not the confirmed one: $(cat out err)"
[ "$(cat code.2)" -eq 5 ] || fail "exit $(cat code.2): $(cat err.2)"
tr -s '\n ' ' ' <err.2 | grep -q '1 other pair of these places was not confirmed either' || fail "nothing said of others: $(cat err.2)"
# Without time for them they are not said to have been tried, and the finding was replayed.
"$HEDDLE" run --runs 1 --replay-time 1ms -o late.out -- ./others.2 >out 2>err.late </dev/null
[ $? -eq 5 ] || fail "late: exit $?: $(cat err.late)"
jq -e '.races | length == 1 and .[0].verdict == "diverged"' late.out/report.json >/dev/null || fail "late: nothing is tested: $(cat err.late)"
grep -q 'other pair of\|not replayed' err.late && fail "late: pairs that were not tried are counted: $(cat err.late)"

# Memory that code which is not seen hands over: a replay has the accesses at different bytes. Where the recorded run has
# nothing either that orders them, this leaves the race open.
for how in LOCKED BARE; do
    "$HEDDLE" cc -g -O0 -pthread -D$how "$TESTS/replay/others_pool.c" hidden.o -o pool.$how || fail "heddle cc"
    "$HEDDLE" run --runs 1 -o pool.out.$how -- ./pool.$how >out 2>err.$how </dev/null
    echo $? >code.$how
    jq -e 'all(.races[]; .verdict == "apart")' pool.out.$how/report.json >/dev/null || fail "$how: not apart: $(cat err.$how)"
done
[ "$(cat code.LOCKED)" -eq 0 ] || fail "locked pool: exit $(cat code.LOCKED): $(cat err.LOCKED)"
[ "$(cat code.BARE)" -eq 5 ] || fail "bare pool: exit $(cat code.BARE): $(cat err.BARE)"
jq -e '[.races[].counts] == ["open"]' pool.out.BARE/report.json >/dev/null || fail "bare pool: $(cat err.BARE)"
tr -s '\n ' ' ' <err.BARE | grep -q 'nothing that was seen orders them where they were recorded' || fail "bare pool: $(cat err.BARE)"
jq -e '.races | length == 1' pool.out.LOCKED/report.json >/dev/null || fail "locked pool: nothing is tested: $(cat err.LOCKED)"

# What is refuted is called so and counted apart, in every form; what is open is not.
for how in LOCKED BARE; do
    for format in sarif html txt; do
        "$HEDDLE" report -o $how.$format pool.out.$how >out 2>err || [ -s $how.$format ] || fail "report: $(cat err)"
    done
done
grep -q '0 races confirmed, 0 predicted only, 1 refuted;' err.LOCKED || fail "the summary: $(cat err.LOCKED)"
grep -q '\[predicted, refuted by replay\]' err.LOCKED || fail "the heading: $(cat err.LOCKED)"
grep -q '^   Refuted: ' err.LOCKED || fail "the reason: $(cat err.LOCKED)"
grep -q '0 races confirmed, 1 predicted only;' err.BARE || fail "the summary of an open one: $(cat err.BARE)"
grep -q 'refuted by replay\|Refuted\|1 refuted' err.BARE && fail "an open one is called refuted: $(cat err.BARE)"
jq -e '.decided.refuted == 1 and [.races[].refuted] == [true]' pool.out.LOCKED/report.json >/dev/null || fail "JSON of the refuted one"
jq -e '.decided.refuted == 0 and [.races[].refuted] == [false]' pool.out.BARE/report.json >/dev/null || fail "JSON of the open one"
jq -e '.runs[0] | .properties.predictionsRefuted == 1 and [.results[] | .kind, .level] == ["informational", "none"]' LOCKED.sarif \
    >/dev/null || fail "SARIF of the refuted one"
jq -e '.runs[0] | .properties.predictionsRefuted == 0 and [.results[] | .kind, .level] == ["fail", "warning"]' BARE.sarif \
    >/dev/null || fail "SARIF of the open one"
grep -q '0 confirmed, 0 predicted only, 1 refuted by replay' LOCKED.html || fail "HTML of the refuted one"
grep -q '0 confirmed, 1 predicted only[.]' BARE.html || fail "HTML of the open one"
grep -q 'predicted, refuted by replay' LOCKED.txt || fail "text of the refuted one: $(cat LOCKED.txt)"
"$HEDDLE" run --runs 1 --confirmed-only -o sure.out -- ./pool.BARE >out 2>err </dev/null || fail "--confirmed-only: exit $?"
grep -q '0 races confirmed, 1 predicted only;' err || fail "--confirmed-only calls it refuted: $(cat err)"
exit 0
