#!/usr/bin/env bash
# Whatever cannot be had while a run is analysed, recorded again or replayed: exit code 4, and what was found before is
# in the report.
. "$TESTS/replay/lib.sh" || exit 1
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

# A schedule of more steps than the memory would hold one by one: steps that left no event are counted, not listed.
cat >steps.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int racy, own[64];
static _Atomic long mine;
static _Atomic __int128 wide;
static void others(int i)
{
    char *block = malloc(100);
    memset(block, i, 100);
    memmove(block, block + 8, 50);
    block[99] = 0;
    mine += strlen(block);
    wide = (__int128)i << 64;
    free(block);
}
static void *adds(void *arg)
{
    for (int i = 0; i < COUNT; i++) {
        own[i % 64] += i;
        if (i % 1000 == 0)
            others(i);
    }
    racy++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adds, NULL);
    racy++;
    return pthread_join(t, NULL);
}
END
"$HEDDLE" cc -g -O1 -mcx16 -pthread -DCOUNT=8000000 steps.c -o steps || fail "heddle cc"
([ -n "${HEDDLE_TEST_SANITIZED:-}" ] || ulimit -v 600000; exec timeout -k 5 120 "$HEDDLE" run -o steps.out --runs 1 -- ./steps) >out 2>err </dev/null
[ $? -eq 66 ] || fail "many steps: exit $?: $(cat err)"
jq -e '.races | length == 1 and .[0].status == "confirmed"' steps.out/report.json >/dev/null || fail "many steps: $(cat err)"

# The same where writes are logged after they happened.
clang -g -O1 -mcx16 -pthread -DCOUNT=50000 -fsanitize=thread -c steps.c -o later.o &&
    clang -pthread later.o -o later -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail clang
"$HEDDLE" run -o later.out --runs 1 -- ./later >out 2>err </dev/null
[ $? -eq 66 ] || fail "writes logged later: exit $?: $(cat err)"
jq -e '.races | length == 1 and .[0].status == "confirmed"' later.out/report.json >/dev/null || fail "writes logged later: $(cat err)"

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
