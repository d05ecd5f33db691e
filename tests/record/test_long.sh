#!/usr/bin/env bash
# Long runs: memory stays as it is, --limit keeps a prefix, the program runs on unchanged.
set -u
[ -z "${HEDDLE_TEST_SANITIZED:-}" ] || exit 77 # the memory and the time of a sanitized build say nothing
here=$(cd "$(dirname "$0")" && pwd)
work=$TMP_DIR/record/long
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL long: $*; see $work" >&2
    exit 1
}
"$HEDDLE" cc --version >/dev/null 2>&1 || exit 0
cc -O1 "$here/../../bench/real/measure.c" -o measure || fail "measure.c"
"$HEDDLE" cc -O2 -pthread "$here/../../bench/record/list.c" -o list || fail "the build"

# Twenty million events: sixty megabytes of log. The peak is that of heddle and of the program, whichever is larger.
./measure peak "$HEDDLE" record -o long.hdt -- ./list 2 >long.out 2>long.err || fail "$(cat long.err)"
events=$(sed -nE 's/.*: ([0-9]+) events.*/\1/p' long.err)
[ "$events" -gt 15000000 ] || fail "only $events events"
read -r _ _ own family <peak
[ "$family" -lt 200000 ] && [ "$own" -lt 200000 ] || fail "memory: $own and $family KB"
[ $(($(stat -c %s long.hdt) / 3)) -le "$events" ] || fail "$(stat -c %s long.hdt) bytes for $events events"
rm -f long.hdt

"$HEDDLE" record --limit 20000 -o part.hdt -- ./list 2 >part.out 2>part.err || fail "$(cat part.err)"
cmp -s long.out part.out || fail "with a limit the program's output differs"
grep -q ' 20000 events' part.err || fail "no word about the limit: $(cat part.err)"
[ "$(stat -c %s part.hdt)" -lt 4000000 ] || fail "a limited recording of $(stat -c %s part.hdt) bytes"
"$HEDDLE" trace check part.hdt >check.out 2>&1 || fail "$(cat check.out)"
grep -q '20000 events' check.out || fail "who reads it is not told that it is a prefix: $(cat check.out)"
"$HEDDLE" record --limit 0 -o all.hdt -- ./list 0 2>all.err || fail "$(cat all.err)"
"$HEDDLE" record --limit x -o no.hdt -- ./list 0 2>no.err
[ $? -eq 2 ] && [ ! -e no.hdt ] || fail "--limit x was taken"

# A million lock operations cost about the same with a thousand locks as with half a million.
cat >locks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_mutex_t *m = calloc((size_t)n, sizeof *m);
    for (int i = 0; i < 1000000; i++) {
        pthread_mutex_lock(&m[i % n]);
        pthread_mutex_unlock(&m[i % n]);
    }
    free(m);
    return 0;
}
END
"$HEDDLE" cc -O2 -pthread locks.c -o locks || fail "locks.c"
for n in 1000 500000; do
    ./measure "cpu.$n" "$HEDDLE" record -o locks.hdt -- ./locks $n 2>locks.err || fail "$(cat locks.err)"
done
[ "$(cat cpu.1000 cpu.500000 | awk '{ cpu[NR] = $1 } END { print cpu[2] < 1.5 + 4 * cpu[1] }')" = 1 ] ||
    fail "a thousand locks: $(cat cpu.1000); half a million: $(cat cpu.500000)"
rm -f locks.hdt

# A program without end: the recording stops at a size, the program at a time, and both are said.
cat >spins.c <<'END'
#include <pthread.h>
volatile int go;
static void *run(void *arg)
{
    while (!go)
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    while (!go)
        ;
    return 0;
}
END
clang -g -O1 -fsanitize=thread -c spins.c -o spins.o &&
    clang -pthread spins.o -o spins -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail "the build of spins"
for policy in fifo pct; do
    "$HEDDLE" record --policy $policy --max-size 100k --timeout 2 -o spins.hdt -- ./spins 2>spins.err
    [ $? -eq 0 ] || fail "$policy: a program that is ended at its time: $(cat spins.err)"
    grep -q 'the recording stopped at .* events' spins.err && grep -q -- '--max-size' spins.err || fail "nothing about the size: $(cat spins.err)"
    grep -q 'ended after 2 seconds' spins.err || fail "nothing about the time: $(cat spins.err)"
    [ "$(stat -c %s spins.hdt)" -le 100000 ] || fail "a recording of $(stat -c %s spins.hdt) bytes"
    "$HEDDLE" trace check spins.hdt >check.out 2>&1 || fail "$(cat check.out)"
    grep -q 'max-size' check.out || fail "who reads it is not told that it is a prefix: $(cat check.out)"
done
# What a program that is ended has counted is told; the rest of a long log is not read again for it.
cat >fills.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static char block[1 << 20];
int main(void)
{
    int fd = open("/dev/urandom", O_RDONLY);
    for (int i = 0; i < 20; i++)
        if (read(fd, block, sizeof block) < 0)
            return 1;
    for (;;)
        __asm__ volatile("");
}
END
"$HEDDLE" cc fills.c -o fills || fail "the build of fills"
"$HEDDLE" record --timeout 3 -o fills.hdt -- ./fills 2>fills.err || fail "fills: $(cat fills.err)"
grep -q 'fills.hdt: at least [1-9][0-9]* events logged' fills.err || fail "fills: $(cat fills.err)"
"$HEDDLE" trace check fills.hdt >check.out 2>&1 || fail "fills: $(cat check.out)"

"$HEDDLE" record --timeout 60 -o all.hdt -- ./list 0 2>all.err || fail "$(cat all.err)"
grep -q 'ended' all.err && fail "it ended by itself: $(cat all.err)"

# A forked child keeps no more than its parent may.
cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
volatile int x[64];
int main(void)
{
    if (fork() == 0) {
        for (int i = 0; i < 30000000; i++)
            x[i % 64] += i;
        _exit(0);
    }
    return wait(0) < 0;
}
END
clang -g -O1 -fsanitize=thread -c forks.c -o forks.o &&
    clang -pthread forks.o -o forks -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail "the build of forks"
"$HEDDLE" record --limit 1000 -o forks.hdt -- ./forks 2>forks.err || fail "$(cat forks.err)"
[ "$(stat -c %s forks.child1.hdt)" -lt 20000000 ] || fail "a child's log of $(stat -c %s forks.child1.hdt) bytes"
