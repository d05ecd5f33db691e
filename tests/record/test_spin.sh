#!/usr/bin/env bash
# A thread that waits by looking again and again is seen to, and the others run soon.
set -u
work=$TMP_DIR/record/spin
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL spin: $*; see $work" >&2
    exit 1
}
cat >spin.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int flag, plain[4];
static int data;
static void *set(void *arg)
{
    for (int i = 0; i < 3; i++) {
        data = i;
        atomic_store(&flag, i + 1);
        while (atomic_load(&plain[0]) != i + 1)
            ;
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, set, NULL);
    for (int i = 0; i < 3; i++) {
        while (atomic_load(&flag) <= i || atomic_load(&plain[1]))
            ;
        sum += data;
        atomic_store(&plain[0], i + 1);
    }
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
END
# Nobody else is ready: time has to pass for those who look, and for those who work meanwhile.
cat >sleeps.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int stop;
static long turns[2];
static void *look(void *arg)
{
    while (!atomic_load(&stop))
        ;
    return arg;
}
static void *work(void *arg)
{
    while (!atomic_load(&stop))
        ++*(long *)arg;
    return arg;
}
static void *test(void *arg)
{
    for (;;)
        pthread_testcancel();
    return arg;
}
static void run(void *(*f)(void *), void (*end)(pthread_t))
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, f, &turns[i]);
    usleep(50000);
    for (int i = 0; i < 2; i++)
        end(t[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    stop = 0;
}
static void tell(pthread_t t)
{
    (void)t;
    stop = 1;
}
static void cancel(pthread_t t)
{
    pthread_cancel(t);
}
int main(void)
{
    run(look, tell);
    run(work, tell);
    run(test, cancel);
    printf("%d\n", turns[0] && turns[1] ? 3 : 0);
    return 0;
}
END
# check NAME: few events, the right answer, the same trace again
check() {
    "$HEDDLE" record -o "$1.hdt" -- "./$1" >"$1.out" 2>"$1.err" || fail "$1: $(cat "$1.err")"
    [ "$(cat "$1.out")" = 3 ] || fail "$1: it says $(cat "$1.out")"
    events=$(sed -nE 's/.*: ([0-9]+) events.*/\1/p' "$1.err")
    [ "$events" -lt 60000 ] || fail "$1: $events events"
    "$HEDDLE" trace check "$1.hdt" >check.out 2>&1 || fail "$1: $(cat check.out)"
    "$HEDDLE" record -o again.hdt -- "./$1" >again.out 2>&1
    "$HEDDLE" trace cat "$1.hdt" >"$1.txt" && "$HEDDLE" trace cat again.hdt >again.txt
    cmp -s "$1.txt" again.txt || fail "$1: the same run gives another trace"
}
clang -g -O1 -fsanitize=thread -c spin.c -o spin.o &&
    clang -pthread spin.o -o plain -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail "the build with clang"
check plain
clang -g -O1 -fsanitize=thread -c sleeps.c -o sleeps.o &&
    clang -pthread sleeps.o -o sleeps -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail "the build with clang"
for policy in fifo random pct sync; do
    timeout -k 5 60 "$HEDDLE" record -o sleeps.hdt --policy $policy -- ./sleeps >sleeps.out 2>sleeps.err ||
        fail "sleeps, $policy: $? $(tail -3 sleeps.err)"
    [ "$(cat sleeps.out)" = 3 ] || fail "sleeps, $policy: it says $(cat sleeps.out)"
done
"$HEDDLE" trace check sleeps.hdt >check.out 2>&1 || fail "sleeps: $(cat check.out)"
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 0
"$HEDDLE" cc -O2 -pthread spin.c -o passed || fail "heddle cc"
check passed
