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
exit 0
