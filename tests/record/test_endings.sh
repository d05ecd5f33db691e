#!/usr/bin/env bash
# How programs end: crash, abort, _exit, SIGKILL, deadlock, a stuck thread, programs that cannot run.
set -u
work=$TMP_DIR/record/endings
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fails=0

check() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "FAIL $1: expected '$2', got '$3'" >&2; fails=1; }
}

build() { # NAME, source on standard input
    cat >"$1.c"
    clang -g -D_GNU_SOURCE -fsanitize=thread -c "$1.c" -o "$1.o" &&
        clang -pthread "$1.o" -o "$1" -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
}

# record NAME: leaves the status in $status, the words in NAME.err
record() {
    timeout -k 5 60 "$HEDDLE" record -o "$1.hdt" -- "./$1" >"$1.out" 2>"$1.err"
    status=$?
}

usable() { # NAME EVENT: the trace passes the check and holds the event
    "$HEDDLE" trace check "$1.hdt" >/dev/null 2>&1 || check "$1: trace check" ok bad
    "$HEDDLE" trace cat --keep-all-events "$1.hdt" | grep -qF "$2" || check "$1: event" "$2" none
}

threads='#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *run(void *p) { x = 7; p = p; END; return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); pthread_join(t, NULL); return x; }'

ending() { # NAME END STATUS
    build "$1" <<<"${threads/END/$2}"
    record "$1"
    check "$1" "$3" "$status"
    usable "$1" 'w(x,7)'
}
ending crash '*(volatile int *)8 = 1' 139
ending aborts 'abort()' 134
ending leaves '_exit(5)' 5
ending killed 'kill(getpid(), SIGKILL)' 137
ending quick 'quick_exit(6)' 6
ending returns 'x = 3' 3

# Two locks in opposite orders, with a barrier between, always block.
build deadlock <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *run(void *p)
{
    pthread_mutex_lock(p ? &a : &b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(p ? &b : &a);
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, run, NULL);
    run(&a);
    return 0;
}
END
record deadlock
check deadlock 66 "$status"
usable deadlock 'acq(a)'
grep -q 'deadlock: T1 waits for lock b at deadlock.c:8' deadlock.err || check 'deadlock: T1' waits "$(cat deadlock.err)"
grep -q 'deadlock: T1.1 (run) holds b' deadlock.err || check 'deadlock: T1.1' holds "$(cat deadlock.err)"

grep -q 'deadlock: T1 #0 run at deadlock.c:8' deadlock.err || check 'deadlock: frame 0' run "$(cat deadlock.err)"
grep -q 'deadlock: T1 #1 main at deadlock.c:16' deadlock.err || check 'deadlock: frame 1' main "$(cat deadlock.err)"

# The holder of the token waits in a call that nobody models (a FIFO without a writer).
build stuck <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static int done;
static void *opens(void *p) { int fd = open("fifo", O_RDONLY); close(fd); return p; }
static void *writes(void *p) { done = 1; int fd = open("fifo", O_WRONLY); close(fd); return p; }
int main(void)
{
    pthread_t t[2];
    mkfifo("fifo", 0600);
    pthread_create(&t[0], NULL, opens, NULL);
    pthread_create(&t[1], NULL, writes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("done %d\n", done);
    return 0;
}
END
record stuck
check stuck 0 "$status"
check 'stuck: output' 'done 1' "$(cat stuck.out)"
usable stuck 'w(done,1)'
grep -q 'was stuck in a call that is not modelled' stuck.err || check 'stuck: note' yes "$(cat stuck.err)"

# The same, while the only other thread sleeps.
build slept <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static void *opens(void *p) { int fd = open("fifo2", O_RDONLY); close(fd); return p; }
int main(void)
{
    pthread_t t;
    mkfifo("fifo2", 0600);
    pthread_create(&t, NULL, opens, NULL);
    usleep(1000);
    int fd = open("fifo2", O_WRONLY);
    close(fd);
    pthread_join(t, NULL);
    printf("done\n");
    return 0;
}
END
record slept
check slept 0 "$status"
check 'slept: output' 'done' "$(cat slept.out)"
grep -q 'was stuck in a call that is not modelled' slept.err || check 'slept: note' yes "$(cat slept.err)"

# A signal to heddle reaches the program, and what it did is kept.
build endless <<'END'
#include <unistd.h>
static volatile int x;
int main(void) { x = 9; for (;;) pause(); }
END
timeout -k 5 -s TERM 1 "$HEDDLE" record -o endless.hdt -- ./endless 2>endless.err
check 'interrupted' 124 $?
usable endless 'w(x,9)'

# No trace that looks complete.
clang -x c - -o plain <<<'int main(void) { return 0; }'
refuse() { # WHAT WORDS PROGRAM
    rm -f no.hdt
    "$HEDDLE" record -o no.hdt -- "$3" 2>no.err
    check "$1: status" 3 $?
    grep -q "$2" no.err || check "$1: words" "$2" "$(cat no.err)"
    [ ! -e no.hdt ] || check "$1: trace" none some
    ls no.hdt* >/dev/null 2>&1 && check "$1: raw log" none some
}
refuse 'not instrumented' 'is not instrumented' ./plain
# It must not have run: what it would do is seen.
clang -x c - -o touches <<<'#include <fcntl.h>
int main(void) { return open("touched", O_CREAT | O_WRONLY, 0600) < 0; }'
refuse 'not run' 'is not instrumented' ./touches
[ ! -e touched ] || check 'not run' no yes
# One that could start another program is known only afterwards.
clang -x c - -o starts <<<'#include <unistd.h>
int main(int n, char **v) { return n > 1 ? execv(v[1], v + 1) : 0; }'
refuse 'starts nothing' 'is not instrumented' ./starts
"$HEDDLE" record -o starts.hdt -- ./starts ./returns 2>no.err
check 'starts an instrumented one' 3 $?
usable starts 'w(x,3)'
clang -g -fsanitize=thread -x c - -o tsan <<<'int main(void) { return 0; }' 2>/dev/null &&
    refuse 'ThreadSanitizer' "ThreadSanitizer's runtime" ./tsan
# Ends before the runtime starts: a library is missing.
clang -shared -fPIC -x c - -o libgone.so <<<'int gone(void) { return 1; }'
clang -fsanitize=thread -c -x c - -o needs.o <<<'int gone(void); int main(void) { return gone(); }'
clang needs.o -o needs -L. -lgone -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" && rm libgone.so
refuse 'at start' 'ended with status 127 before it started' ./needs
clang -static -nostdlib -x c - -o bare <<<'void _start(void) { __builtin_trap(); }' 2>/dev/null &&
    refuse 'crash at start' 'is not instrumented' ./bare
refuse missing 'there is no program' ./nothing
: >text && refuse 'not executable' 'may not be executed' ./text
head -c 64 /bin/true | sed 's/\x3e\x00\x01/\xb7\x00\x01/' >other && chmod +x other &&
    refuse 'another machine' 'not a program for this machine' ./other
"$HEDDLE" record -o /nowhere/at/all.hdt -- ./returns 2>no.err
check 'no folder' 4 $?
"$HEDDLE" record >/dev/null 2>&1
check 'usage' 2 $?
# A full disk is said, and what was written until then is a trace.
build fills <<'END'
#include <pthread.h>
static volatile unsigned long x; /* values that cannot be guessed or compressed */
static void *run(void *p)
{
    unsigned long v = 1;
    x = v;
    for (int i = 0; i < 2000000; i++) {
        v = v * 6364136223846793005u + 1442695040888963407u;
        x = v ^ v >> 29;
    }
    return p;
}
int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); pthread_join(t, NULL); return 0; }
END
(ulimit -f 6000; trap '' XFSZ; timeout -k 5 60 "$HEDDLE" record -o fills.hdt -- ./fills 2>fills.err)
check 'full disk' 4 $?
grep -q 'the trace is incomplete: File too large' fills.err || check 'full disk: words' incomplete "$(cat fills.err)"
usable fills 'w(x,1)'
# However heddle ends, the program does not stay behind.
build forever <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile int stop;
int main(void)
{
    FILE *f = fopen("forever.pid", "w");
    fprintf(f, "%d\n", (int)getpid());
    fclose(f);
    while (!stop)
        ;
    return 0;
}
END
for command in record run "explore --timeout 100"; do
    rm -f forever.pid
    # shellcheck disable=SC2086
    "$HEDDLE" $command -o "forever.${command%% *}" -- ./forever >/dev/null 2>&1 </dev/null &
    tool=$!
    for _ in $(seq 300); do [ -s forever.pid ] && break || sleep 0.1; done
    program=$(cat forever.pid)
    kill -KILL $tool
    for _ in $(seq 300); do kill -0 "$program" 2>/dev/null || break; sleep 0.1; done
    check "$command was killed: its program" gone "$(kill -0 "$program" 2>/dev/null && echo there || echo gone)"
    kill -KILL "$program" 2>/dev/null
done
# Not under heddle, an instrumented program runs by itself.
./returns
check 'alone' 3 $?
exit $fails
