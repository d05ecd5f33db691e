#!/usr/bin/env bash
# What else is found: assertions, crashes, deadlocks, hangs, memory; inputs of every sort; Ctrl-C; -j; --rerun.
. "$SOURCE/common.sh" || exit 1
enter kinds

cat >kinds.c <<'END'
#include "work.h"
#include <assert.h>
#include <heddle/annotate.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int table[16];
int main(int argc, char **argv)
{
    char c = argc > 1 ? argv[1][0] : 'x';
    unsigned char order[4] = {1, 2, 3, 4};
    heddle_make_symbolic(order, sizeof order, "order");
    switch (c) {
    case 'a':
        assert(order[2] != 200);
        break;
    case 'c':
        if (order[0] == 7)
            *(volatile int *)8 = 1;
        break;
    case 'd':
        pthread_mutex_lock(&other);
        pthread_mutex_lock(&other);
        break;
    case 'h':
        for (;;)
            ;
    case 'k':
        kill(getpid(), SIGKILL);
        break;
    case 'z':
        printf("%d\n", 100 / (order[3] - 50));
        break;
    case 'i': /* reads and writes at a symbolic place */
        table[order[1] & 15] = 3;
        if (table[9] == 3)
            work();
        break;
    default:
        puts("nothing");
    }
    return 0;
}
END
build kinds -O1 -DFAULTY -I"$SOURCE/programs" -I"$SOURCE/../../include" kinds.c
hunt all --input argv:1 --size 1 --timeout 1s --at-once 2 -- ./kinds x
for kind in race assertion crash deadlock hang "out of memory"; do
    check "finds: $kind" true "$(field all "[.findings[].kind] | contains([\"$kind\"])")"
done
check "both crashes" 2 "$(field all '[.findings[] | select(.kind == "crash")] | length')"
check "searched to the end" true "$(field all .complete)"
check "exit status" 66 "$status"

# Each finding happens again with its input.
while IFS=$'\t' read -r kind input; do
    timeout 60 "$HEDDLE" hunt --quiet --rerun "$input" >again.out 2>again.err
    got=$?
    case $kind in
    assertion) check "again: $kind" 134 $got ;;
    crash) [ $got = 139 ] || [ $got = 136 ] || check "again: $kind" "139 or 136" $got ;;
    deadlock) check "again: $kind" 66 $got ;;
    race) check "again: $kind" 0 $got ;;
    esac
done < <(jq -r '.findings[] | select(.kind != "hang") | [.kind, .input] | @tsv' all.json)
witness=$(field all '.findings[] | select(.kind == "race") | .witness')
"$HEDDLE" replay --times 10 "$witness" >replay.out 2>&1
check "the race is confirmed with its input" 66 $?
check "20 of 20" 1 "$(grep -c '^20 of 20 executions confirmed' replay.out)"

# A deadlock that no run had: prediction sees it on the path where the input swaps the locks.
cat >locks.c <<'END'
#include "work.h"
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void take(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    total++;
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *one(void *p)
{
    (void)p;
    take(&lock, &other);
    return NULL;
}
static void *two(void *p)
{
    if (p)
        take(&other, &lock);
    else
        take(&lock, &other);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t s, t;
    (void)work;
    pthread_create(&s, NULL, one, NULL);
    pthread_create(&t, NULL, two, argc > 1 && strcmp(argv[1], "swap") == 0 ? argv : NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return total - 2;
}
END
build locks -O0 -I"$SOURCE/programs" locks.c
hunt locks --input argv:1 --size 4 -- ./locks word
check "one finding" 1 "$(field locks '.findings | length')"
check "a deadlock" deadlock "$(field locks '.findings[0].kind')"
"$HEDDLE" replay --times 20 "$(field locks '.findings[0].witness')" >locks.out 2>&1
check "the deadlock is confirmed with its input" 66 $?
check "deadlock 20 of 20" 1 "$(grep -c '^20 of 20 executions confirmed' locks.out)"

# The folder: one .ktest and one .input for each path, plain bytes for the finding.
test_name=$(basename "$(field locks '.findings[0].input')" .input)
check "as many .ktest as paths" "$(field locks .paths)" "$(find locks.d -name '*.ktest' | wc -l)"
check "as many .input as paths" "$(field locks .paths)" "$(find locks.d -name '*.input' | wc -l)"
check "magic of .ktest" KTEST "$(head -c 5 "locks.d/$test_name.ktest")"
check "plain bytes" swap "$(tr -d '\0' <"locks.d/$test_name.argv1")"

cat >sources.c <<'END'
#include "work.h"
#include <time.h>
int main(void)
{
    const char *home = getenv("PLACE"), *set = getenv("OTHER");
    char word[16];
    int n;
    if (home && strcmp(home, "loom") == 0)
        puts("environment");
    if (set && set[0] == '7')
        puts("getenv");
    if (time(NULL) == 1234567)
        puts("time");
    if (scanf("%d %15s", &n, word) == 2 && n == 42 && strcmp(word, "go") == 0)
        puts("scanf");
    if (rand() % 1000 == 77 && rand() % 1000 == 78)
        work();
    return 0;
}
END
build sources -O1 -DFAULTY -I"$SOURCE/programs" sources.c
PLACE=here OTHER=6 hunt sources --input env:PLACE,stdin --symbolic-call rand,time,getenv --size 6 --order coverage \
    --first --budget 100s -- ./sources
check "sources finds the race" race "$(field sources '.findings[0].kind')"
PLACE=here OTHER=6 hunt texts --input env:PLACE,stdin --symbolic-call rand,time,getenv --size 6 --order coverage \
    --max-paths 60 --keep-all -- ./sources
for word in environment getenv time; do
    check "reached: $word" true "$(cat texts.d/*.out | grep -q "^$word" && echo true)"
done

# Ctrl-C keeps what was found.
cat >endless.c <<'END'
#include "work.h"
int main(int argc, char **argv)
{
    unsigned sum = 0;
    work();
    for (int i = 0; argc > 1 && i < 24; i++)
        if (argv[1][i] & 1)
            sum += (unsigned)i * 7;
    return sum == 1;
}
END
build endless -O0 -DFAULTY -I"$SOURCE/programs" endless.c
# A background command of a shell without job control ignores SIGINT; env gives it back.
env --default-signal=INT "$HEDDLE" hunt --quiet --json -o endless.d --input argv:1 --size 24 -- ./endless a >endless.json 2>endless.err </dev/null &
pid=$!
for _ in $(seq 600); do
    [ -e endless.d/test000005.input ] && break
    sleep 0.1
done
kill -INT $pid
wait $pid
check "interrupted: status" 66 $?
check "interrupted: said" interrupted "$(field endless .ended)"
check "interrupted: kept" race "$(field endless '.findings[0].kind')"
check "interrupted: nothing left over" "" "$(find endless.d -name '*.raw-*')"
finish
