#!/usr/bin/env bash
# Policy sync: workers of a pool share its tasks, where fifo lets the first one take them all. In a run with
# very many operations turns get longer.
. "$TESTS/replay/lib.sh" || exit 1
start turns
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/pool.c" -o pool || fail "heddle cc"

# tasks POLICY: how many tasks each worker did, in the order of the workers
tasks() {
    "$HEDDLE" record -q --policy "$1" -o "$1.hdt" -- ./pool >out 2>err </dev/null || fail "$1: $(cat err)"
    [ "$(cat out)" = "total 28" ] || fail "$1: $(cat out)"
    "$HEDDLE" trace cat --keep-all-events "$1.hdt" | awk -F'|' '$2 ~ /^w\(total/ { n[$1]++ } END { for (t in n) print t, n[t] }' |
        sort | awk '{ printf "%s ", $2 }'
}
[ "$(tasks fifo)" = "8 " ] || fail "fifo: $(tasks fifo)"
set -- $(tasks sync)
[ $# -ge 3 ] || fail "sync: $*"

cat >busy.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *add(void *arg)
{
    for (int i = 0; i < 200000; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 400000;
}
END
"$HEDDLE" cc -g -O1 -pthread busy.c -o busy || fail "heddle cc"
"$HEDDLE" record -q --policy sync -o busy.hdt -- ./busy >out 2>err </dev/null || fail "busy: $(cat err)"
switches=$("$HEDDLE" trace cat busy.hdt | awk -F'|' '$1 != last { n++ } { last = $1 } END { print n }')
# without longer turns there would be 400000
{ [ "$switches" -gt 20000 ] && [ "$switches" -lt 90000 ]; } || fail "$switches switches"
exit 0
