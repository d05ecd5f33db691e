#!/usr/bin/env bash
# Use of a local whose scope has ended: found where no order keeps the use before the end, at every
# level; programs that wait for the user are not reported.
. "$TESTS/cli/lib.sh" || exit 1
cat >frames.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job {
    int n;
    atomic_int done;
    sem_t ready;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char text[24];
};
static int which;
static pthread_t t;
static void *worker(void *arg)
{
    struct job *j = arg;
    switch (which) {
    case 0: case 1: case 2: case 6: j->n++; break;
    case 3: pthread_mutex_lock(&j->lock); pthread_mutex_unlock(&j->lock); break;
    case 4: memcpy(j->text, "hello", 6); break;
    case 5: j->n++; sem_post(&j->ready); break;
    case 7: j->n++; atomic_store(&j->done, 1); break;
    case 8:
        pthread_mutex_lock(&j->lock);
        j->n++;
        pthread_cond_signal(&j->changed);
        pthread_mutex_unlock(&j->lock);
        break;
    case 9: atomic_store(&j->done, 1); j->n++; break;
    case 10: sem_post(&j->ready); j->n++; break;
    }
    return NULL;
}
static void begin(struct job *j)
{
    memset(j, 0, sizeof *j);
    sem_init(&j->ready, 0, 0);
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    pthread_create(&t, NULL, worker, j);
}
static void leave_at_once(void)
{
    struct job early;
    begin(&early);
}
static void leave_empty(void)
{
    char text[sizeof(struct job)]; /* nobody wrote to it yet */
    pthread_create(&t, NULL, worker, text);
}
static void leave_after(void)
{
    struct job late;
    begin(&late);
    if (which == 5 || which == 10)
        sem_wait(&late.ready);
    if (which == 6)
        pthread_join(t, NULL);
    while ((which == 7 || which == 9) && !atomic_load(&late.done))
        ;
    if (which == 8) {
        pthread_mutex_lock(&late.lock);
        while (!late.n)
            pthread_cond_wait(&late.changed, &late.lock);
        pthread_mutex_unlock(&late.lock);
    }
}
static void *other(void *arg)
{
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t second;
    which = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&second, NULL, other, NULL); /* somebody else is there all the time */
    if (which == 0 || which == 3)
        leave_at_once();
    if (which == 1)
        for (int i = 0; i < 1; i++) {
            struct job inner;
            begin(&inner);
        }
    if (which == 2 || which == 4)
        leave_empty();
    if (which >= 5)
        leave_after();
    if (which != 6)
        pthread_join(t, NULL);
    pthread_join(second, NULL);
    return 0;
}
C
dead() { # dead LEVEL CASE NAME
    heddle run --times 1 --runs 2 -o "r$1.$2" -- "./frames$1" "$2"
    expect_code 66
    expect "-O$1, case $2 is another finding: $(grep -E '^[0-9]+\.' err)" \
        grep -qE "^1\. use of a dead stack frame: $3 of " err
}
for level in 0 1 2; do
    heddle cc -g -O$level frames.c -o frames$level -pthread
    expect_code 0
    dead $level 0 'early(\.n)?'
    # Where a block ends is known from -O1 on.
    [ $level = 0 ] || dead $level 1 'inner(\.n)?'
    dead $level 2 'text(\[[0-9]+\])?'
    dead $level 3 'early(\.[a-z_]+)*'
    dead $level 4 'text(\[[0-9]+\])?'
    dead $level 9 'late(\.n)?'
    dead $level 10 'late(\.n)?'
    for case in 5 6 7 8; do
        heddle run --times 1 --runs 2 -o "r$level.$case" -- ./frames$level $case
        expect_code 0
        expect "-O$level, case $case has pairs without an answer: $(tail -3 err)" \
            grep -q ', 0 undecided' err
    done
done
heddle run --times 1 --runs 2 -o show -- ./frames1 0
tr -s ' \n' ' ' <err >flat
expect_err "end of scope by main (T1) in leave_at_once"
expect "it is not said what the late thread does" grep -q 'Effect: worker (T1.2) [a-z]* a dead stack frame' flat
expect "no fix is named" grep -q 'Fix: Wait for the thread before the scope ends' flat

# ---- every schedule of a small one ----
cat >small.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int *shown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    int value = shown ? *shown : 0;
    pthread_mutex_unlock(&lock);
    (void)arg;
    return value > 9 ? &lock : NULL;
}
static void show(int keep)
{
    int local = 7;
    pthread_mutex_lock(&lock);
    shown = &local;
    pthread_mutex_unlock(&lock);
    if (keep)
        return; /* it can still be found */
    pthread_mutex_lock(&lock);
    shown = NULL;
    pthread_mutex_unlock(&lock);
}
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pthread_create(&t, NULL, worker, NULL);
    show(argc > 1);
    pthread_join(t, NULL);
    return 0;
}
C
heddle cc -g -O1 small.c -o small -pthread
expect_code 0
heddle explore --strategy dpor -o x0 -- ./small
expect_code 0
expect_err "all "
heddle run -o x1 -- ./small bad
expect_code 66
expect_err "1. use of a dead stack frame: a local of show"

# ---- C++: what a lambda got by reference, a lock, an object's own address ----
cat >frames.cpp <<'C'
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <string>
#include <thread>
std::thread t;
int total;
struct Task {
    int n = 1;
    void start() { t = std::thread([this] { n++; }); }
};
void captured() { int words = 3; t = std::thread([&words] { total += words; }); }
void locked() { std::mutex m; t = std::thread([&m] { std::lock_guard<std::mutex> hold(m); total++; }); }
void object() { Task task; task.start(); }
void waits() { std::string words = "x"; auto f = std::async(std::launch::async, [&words] { return words.size(); }); total += (int)f.get(); }
void signalled()
{
    std::mutex m;
    std::condition_variable c;
    bool done = false;
    t = std::thread([&] { std::lock_guard<std::mutex> hold(m); done = true; c.notify_one(); });
    std::unique_lock<std::mutex> hold(m);
    c.wait(hold, [&] { return done; });
}
int main(int argc, char **argv)
{
    std::thread second([] {});
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: captured(); break;
    case 1: locked(); break;
    case 2: object(); break;
    case 3: waits(); break;
    case 4: signalled(); break;
    }
    if (t.joinable())
        t.join();
    second.join();
}
C
for level in 0 1; do
    heddle c++ -g -O$level -std=c++17 frames.cpp -o cpp$level -pthread
    expect_code 0
    for case in 0 $(seq 1 $level) 2; do # at -O0 the lock's memory is used again: it fails by itself
        heddle run --times 1 --runs 2 -o "c$level.$case" -- ./cpp$level $case
        expect_code 66
        expect "-O$level, case $case is another finding: $(grep -E '^[0-9]+\.' err)" \
            grep -qE '^[0-9]+\. use of a dead stack frame: (words|m|task|a local)(\.[a-z]+)*( |$)' err
    done
    for case in 3 4; do
        heddle run --times 1 --runs 2 -o "c$level.$case" -- ./cpp$level $case
        expect_code 0
    done
done
finish
