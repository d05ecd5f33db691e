#!/usr/bin/env bash
# Memory orders: an input that leads to a relaxed store shows an unordered race; others do not.
. "$SOURCE/common.sh" || exit 1
enter orders

cat >weak.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int flag;
static int data;
static void *reader(void *p)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        printf("%d\n", data);
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 42;
    if (argc > 1 && (int)argv[1][0] == WEAK)
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_join(t, NULL);
    return 0;
}
END
build weak -O1 -DWEAK="'w'" weak.c -pthread
hunt weak --max-paths 8 -- ./weak a
check "exit code" 66 "$status"
check "findings" '["data: weak.c:16 and weak.c:9"]' "$(jq -c '[.findings[].text]' weak.json)"
check "form" '["unordered"]' "$(jq -c '[.races[].form]' weak.d/report.json)"
check "input" w "$(head -c 1 weak.d/test000002.argv1)"

# No byte is 300: every store releases.
build strong -O1 -DWEAK=300 weak.c -pthread
hunt strong --max-paths 8 -- ./strong a
check "exit code without a weak store" 0 "$status"
check "findings without a weak store" 0 "$(jq '.findings | length' strong.json)"
finish
