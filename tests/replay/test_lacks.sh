#!/usr/bin/env bash
# Whatever cannot be had while a run is analysed, recorded again or replayed: exit code 4, and what was found before is
# in the report.
. "$TESTS/replay/lib.sh"
start lacks
cp "$TESTS/../examples/hidden.c" .
"$HEDDLE" cc -g -O1 -pthread hidden.c -o prog || fail "heddle cc"
gcc -shared -fPIC -O1 -D_GNU_SOURCE "$TESTS/replay/nomemfd.c" -o nomemfd.so || fail gcc

reported=0
for at in 1 2 3 5 8 13 21; do
    FAIL_AT=$at LD_PRELOAD=$PWD/nomemfd.so timeout -k 5 60 "$HEDDLE" run -o "out.$at" -- ./prog >out 2>err </dev/null
    code=$?
    [ $code -eq 4 ] || { [ $code -eq 66 ] && [ $at -gt 8 ]; } || fail "at $at: exit $code: $(cat err)"
    jq -e '.races | length == 1' "out.$at/report.json" >/dev/null || fail "at $at: the race is not reported: $(cat err)"
    reported=$((reported + (code == 4)))
done
[ $reported -ge 4 ] || fail "only $reported runs lacked something"

# An instrumented program that is started in a way that is not followed is named, and nothing found is no answer.
cat >starter.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    return argc > 1 && system(argv[1]) == -1;
}
END
"$HEDDLE" cc -g -O1 starter.c -o starter || fail "heddle cc"
"$HEDDLE" run -o started -- ./starter ./prog >out 2>err </dev/null
[ $? -eq 5 ] || fail "an instrumented program by system(): exit $?: $(cat err)"
tr -s '\n ' ' ' <err | grep -q 'Not modelled: an instrumented program that it started' || fail "not named: $(cat err)"
"$HEDDLE" run -o other -- ./starter true >out 2>err </dev/null || fail "another program: exit $?: $(cat err)"
exit 0
