#!/usr/bin/env bash
# Creations of threads that really fail (no room for the stack), with plain accesses between them and before one that
# succeeds: replays count only those that succeed.
. "$TESTS/replay/lib.sh" || exit 1
start failed_create
cat >prog.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int shared, own[4];

static void *adds(void *arg)
{
    own[(long)arg]++;
    shared++;
    return arg;
}

static void *creates(void *arg)
{
    pthread_attr_t huge;
    pthread_t t;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 46);
    for (int i = 0; i < 3; i++) {
        if (pthread_create(&t, &huge, adds, NULL) == 0)
            abort();
        own[0]++;
        shared = i;
    }
    pthread_create(&t, NULL, adds, (void *)1);
    own[2] = ++shared;
    pthread_join(t, NULL);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, creates, NULL);
    pthread_create(&b, NULL, adds, (void *)3);
    shared++;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return own[0] != 3;
}
C
"$HEDDLE" cc -g -O0 -pthread prog.c -o prog || fail "heddle cc"
for policy in fifo random sync; do
    timeout -k 5 100 "$HEDDLE" run -q --runs 1 --policy $policy -o out-$policy -- ./prog >out 2>err </dev/null
    [ $? -eq 66 ] || fail "$policy: exit $?: $(cat err)"
    jq -e '(.races | length) >= 4 and [.races[].status] - ["confirmed"] == []' out-$policy/report.json >/dev/null ||
        fail "$policy: $(jq -c '[.races[] | [.status, .accesses[].line]]' out-$policy/report.json)"
done
exit 0
