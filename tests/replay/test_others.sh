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
exit 0
