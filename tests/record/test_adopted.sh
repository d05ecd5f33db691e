#!/usr/bin/env bash
# A thread that the runtime did not start runs code with hooks: it becomes a thread of the recording with its first
# event, and others run when it ends. In a program that is not recorded no thread does, and hooks do nothing.
set -u
work=$TMP_DIR/record/adopted
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fails=0
check() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "FAIL $1: expected '$2', got '$3'" >&2; fails=1; }
}
cat >main.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
static volatile unsigned char bytes[64];
static volatile int words[64], sum;
static atomic_int done;
static void *run(void *p)
{
    for (int i = 0; i < 256; i++) {
        bytes[i % 64] = (unsigned char)i;
        words[i % 64] += bytes[i % 64];
        if (words[i % 64] > 200)
            sum += words[i % 64];
    }
    done = 1;
    return p;
}
static void *ends(void *p)
{
    done = 2;
    return p;
}
int main(void)
{
    pthread_t t;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create"); /* not the runtime's */
    if (create == pthread_create || create(&t, NULL, run, NULL))
        return 1;
    while (!done)
        sched_yield();
    if (create(&t, NULL, ends, NULL))
        return 1;
    while (done != 2)
        sched_yield();
    printf("sum %d\n", sum);
    return 0;
}
END
"$HEDDLE" cc -O1 -g -pthread main.c -o main || exit 1
expected="sum 50391"
out=$(timeout 60 ./main)
check "the end without a recording" 0 $?
check "the sum without a recording" "$expected" "$out"
out=$(timeout 60 "$HEDDLE" record -o main.hdt -- ./main 2>record.err)
check "the end of the recorded run" 0 $?
check "the sum of the recorded run" "$expected" "$out"
"$HEDDLE" trace check main.hdt >check.out 2>&1
check "trace check" 0 $?
"$HEDDLE" trace cat main.hdt >print.out 2>&1
check "writes of the thread" 125 "$(grep -c '^X1|w(sum' print.out)"
check "threads that were left where they are" 0 "$(grep -c 'was stuck' record.err)"

# Woken out of a call that the runtime does not know, it ends while main does.
cat >wakes.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int there;
static int fds[2];
static void *waits(void *p)
{
    char c;
    there = 1;
    syscall(SYS_read, fds[0], &c, 1);
    return p;
}
int main(void)
{
    pthread_t t;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
    if (pipe(fds) || create(&t, NULL, waits, NULL))
        return 1;
    while (!there)
        sched_yield();
    if (write(fds[1], "x", 1) != 1)
        return 1;
    printf("end\n");
    return 0;
}
END
"$HEDDLE" cc -O1 -g -pthread wakes.c -o wakes || exit 1
for i in 1 2 3 4 5 6 7 8; do
    out=$(timeout 60 "$HEDDLE" record -o wakes.hdt -- ./wakes 2>wakes.err)
    check "the end of the run $i in which it wakes" "0 end" "$? $out"
done

# A thread of libc waits for ticks, in a call without a hook, and allocates for each: it does not keep the others away.
cat >ticks.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ticks;
static void tick(union sigval v)
{
    (void)v;
    pthread_mutex_lock(&lock);
    ticks++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}
int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
        return 1;
    pthread_mutex_lock(&lock);
    while (ticks < 3)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    timer_delete(timer);
    printf("end\n");
    return 0;
}
END
"$HEDDLE" cc -O1 -g -pthread ticks.c -o ticks || exit 1
out=$(timeout 40 "$HEDDLE" record -o ticks.hdt -- ./ticks 2>ticks.err)
check "the end of the run with a timer" "0 end" "$? $out"

# Threads that wait for each other in a ring are deadlocked, unless a thread of libc or a handler soon ends that wait.
cat >ring.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t met;
static void tick(union sigval v) { (void)v; }
static void handler(int s) { (void)s; }
static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&b);
    return arg;
}
static void *two(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&met);
    pthread_mutex_lock(&a);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec every = {{1000, 0}, {1000, 0}};
    (void)argv;
    if (argc > 1)
        signal(SIGUSR1, handler);
    else if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
        return 1;
    pthread_barrier_init(&met, NULL, 2);
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
END
"$HEDDLE" cc -O1 -g -pthread ring.c -o ring || exit 1
for argument in "" handler; do
    # shellcheck disable=SC2086
    timeout 40 "$HEDDLE" run -o "ring.out$argument" -- ./ring $argument >ring.txt 2>&1
    check "the exit code of a ring of waits ($argument)" 66 "$?"
    check "the deadlock of the ring ($argument)" 1 "$(grep -c "^heddle: 0 races confirmed, 1 deadlock" ring.txt)"
done
cat >ended.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t, me;
static pthread_barrier_t met;
static sigjmp_buf out;
static void give_back(int s) { (void)s; pthread_mutex_unlock(&lock); }
static void tick(union sigval v) { (void)v; pthread_mutex_unlock(&lock); }
static void cancel(int s) { (void)s; pthread_cancel(t); }
static void jump(int s) { (void)s; siglongjmp(out, 1); }
static void *wait_for_lock(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *wait_for_main(void *arg)
{
    pthread_barrier_wait(&met);
    pthread_join(me, NULL);
    return arg;
}
int main(int argc, char **argv)
{
    struct itimerval soon = {{0, 0}, {0, 200000}};
    struct itimerspec once = {{0, 0}, {0, 200000000}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    const char *how = argc > 1 ? argv[1] : "";
    timer_t timer;
    me = pthread_self();
    pthread_barrier_init(&met, NULL, 2);
    signal(SIGALRM, !strcmp(how, "jump") ? jump : !strcmp(how, "cancel") ? cancel : give_back);
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, !strcmp(how, "cancel") ? wait_for_main : wait_for_lock, NULL);
    if (!strcmp(how, "cancel"))
        pthread_barrier_wait(&met);
    if (sigsetjmp(out, 1)) {
        pthread_mutex_unlock(&lock);
    } else if (!strcmp(how, "timer")) {
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &once, NULL))
            return 1;
    } else {
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    return pthread_join(t, NULL);
}
END
"$HEDDLE" cc -O1 -g -pthread ended.c -o ended || exit 1
for how in unlock timer cancel jump; do
    timeout 40 "$HEDDLE" run -o "ended.out$how" -- ./ended $how >ended.txt 2>&1
    check "the exit code of a ring that ends ($how)" 0 "$?"
done
exit $fails
