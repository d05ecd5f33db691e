#!/usr/bin/env bash
# The folder of a search is like that of a run: numbered, latest, report, replay by id, merge, full stacks, 20 of 20.
. "$SOURCE/common.sh" || exit 1
enter folder
cat >prog.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int total;
static void inner(void) { total++; }
static void outer(void) { inner(); }
static void *body(void *p)
{
    (void)p;
    outer();
    return NULL;
}
static void work(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, body, NULL);
    pthread_create(&t, NULL, body, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
}
int main(int argc, char **argv)
{
    (void)argc;
    assert(argv[1][1] != '!');
    if (argv[1][0] == 'q')
        work();
    return 0;
}
END
build prog -O0 prog.c
search() { "$HEDDLE" hunt --input argv:1 --size 2 -- ./prog ab </dev/null >"$1.out" 2>"$1.err"; }
search first
check "the first search finds something" 66 $?
check "no arena stays" 0 "$(find heddle-out -name "*.arena" | wc -l)"
check "what a replay feeds in stays with findings only" true "$([ "$(find heddle-out -name "*.given" | wc -l)" = "$(find heddle-out -name "test*.hdr" | wc -l)" ] && echo true)"
search second
check "the second search needs no -o" 66 $?
check "numbered" "heddle-out/1 heddle-out/2" "$(echo heddle-out/[0-9]*)"
check "latest" 2 "$(readlink heddle-out/latest)"
check "no line is longer than 80 columns" "" "$(grep -v 'heddle: ' second.out | awk 'length > 80' | head -n 1)"
check "the input is shown" 1 "$(grep -c '^    argv1 = "q' second.out)"

report=heddle-out/2/report.json
check "both findings" "failure race" "$(jq -r '[.races[].property] | sort | join(" ")' $report)"
check "both confirmed" "confirmed confirmed" "$(jq -r '[.races[].status] | join(" ")' $report)"
check "full stacks" "inner outer body" \
    "$(jq -r '.races[] | select(.property == "race") | [.accesses[0].stack[].function] | join(" ")' $report)"
check "the input is named" 2 "$(jq '[.races[].input | select(. != null)] | length' $report)"
"$HEDDLE" report >report.txt 2>&1
check "heddle report shows the inputs" 2 "$(grep -c '^   Input: heddle-out/latest/test' report.txt)"
"$HEDDLE" merge -o merged.json heddle-out/1 heddle-out/2 >merge.out 2>&1
check "heddle merge joins them" 2 "$(jq '.races | length' merged.json)"
for id in $(jq -r '.races[].id' $report); do
    times=20
    [ "$(jq -r --arg id "$id" '.races[] | select(.id == $id) | .property' $report)" = failure ] || times=10
    "$HEDDLE" replay --times $times "$id" >"replay-$id.out" 2>&1
    check "heddle replay $id" 66 $?
    check "$id 20 of 20" 1 "$(grep -c '^20 of 20 executions confirmed' "replay-$id.out")"
done
"$HEDDLE" replay --run heddle-out/1 >run1.out 2>&1
check "heddle replay --run" 66 $?
"$HEDDLE" hunt -o heddle-out/1 -- ./prog ab >again.out 2>again.err </dev/null
check "a folder is never written to again" 3 $?
check "and says why" 1 "$(grep -c 'not an empty folder' again.err)"
finish
