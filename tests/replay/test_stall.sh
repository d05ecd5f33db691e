#!/usr/bin/env bash
# A program that makes no progress: the user is told where its threads are, and a time limit keeps its trace, from
# which the race is found. One thread waits for input that never comes, the other polls.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start stall
cat >stuck.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;
static int counter;

static void *waits(void *arg)
{
    char c;
    counter++; /* race */
    if (read(0, &c, 1) > 0)
        ready = 1;
    return arg;
}

static void *polls(void *arg)
{
    counter++; /* race */
    while (!ready) {
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, polls, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
"$HEDDLE" cc -g -O1 stuck.c -o stuck -pthread || fail "heddle cc"
# One that counts all the time makes no events, and progress.
cat >counts.c <<'C'
#include <pthread.h>
static void *count(void *arg)
{
    for (unsigned long n = 0;; n++)
        __asm__ volatile("" : "+r"(n));
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    return pthread_join(t, NULL);
}
C
"$HEDDLE" cc -g -O1 counts.c -o counts -pthread || fail "heddle cc counts"
timeout -k 5 100 "$HEDDLE" record --timeout 17s -o counts.hdr -- ./counts 2>counts.err &
counting=$!
mkfifo never
exec 4<>never
timeout -k 5 100 "$HEDDLE" run --record-timeout 12s --timeout 2s -t 1 -- ./stuck <&4 >out 2>err
[ $? -eq 66 ] || fail "no race: $(cat err)"
exec 4>&-
grep -q '^heddle: the program has made no progress for 1[0-2] s' err || fail "nothing is said: $(cat err)"
for place in 'main stuck.c:[0-9]+' 'waits stuck.c:12' 'polls stuck.c:20'; do
    grep -qE "^heddle:   thread [0-9]+ \(stuck\) is in $place" err || fail "$place is missing: $(cat err)"
done
wait $counting || fail "record counts: $(cat counts.err)"
grep -q '^heddle: the program computes, and has done nothing that is recorded for 1[0-2] s' counts.err ||
    fail "that it computes is not said: $(cat counts.err)"
grep -q 'no progress' counts.err && fail "it is said to make no progress: $(cat counts.err)"
grep -qE '^heddle:   thread [0-9]+ \(counts\) is in count counts.c:[0-9]' counts.err || fail "no place: $(cat counts.err)"
grep -q '1 race confirmed' err || fail "not confirmed: $(cat err)"
exit 0
