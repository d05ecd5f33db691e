#!/usr/bin/env bash
# What a race is for its reader: use after free, destruction, containers, bit-fields; the worst
# effect first; races on one variable under one of them.
. "$TESTS/cli/lib.sh" || exit 1
cat >shapes.cpp <<'C'
#include <cstdlib>
#include <thread>
#include <vector>
struct Base { virtual int run() { return 1; } virtual ~Base() {} int x = 0; };
struct Derived : Base { int run() override { return 2; } ~Derived() override { x = 3; } };
std::vector<int> jobs(8);
static struct { unsigned low : 3, high : 5; int rest; } flags;
int total;
int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    int *p = (int *)malloc(8);
    Base *o = new Derived;
    *p = 4;
    auto body = [&, p, o] {
        switch (which) {
        case 0: total += *p; break;
        case 2: total += o->run(); break;
        case 3: jobs.push_back(1); break;
        case 4: flags.high++; break;
        }
    };
    std::thread t(body);
    switch (which) {
    case 0: free(p); break;
    case 2: o->~Base(); break;
    case 3: jobs.push_back(2); break;
    case 4: flags.low++; break;
    }
    t.join();
    return 0;
}
C
heddle c++ -g -std=c++20 shapes.cpp -o shapes -pthread
expect_code 0
shape() { # shape NUMBER HEADING FIX
    heddle run --times 1 --runs 1 --report "$1.html" -- ./shapes "$1"
    expect_code 66
    expect_err "1. $2"
    tr -s ' \n' ' ' <err >flat
    expect "case $1 lacks the fix: $(grep -o 'Fix:.*' flat | head -c 200)" grep -qF "Fix: $3" flat
}
shape 0 "use after free of heap block (8 bytes) from shapes.cpp:12" "Free it when no thread uses it any more"
expect "the page does not say so" grep -q "Use after free of " 0.html
shape 2 "virtual call during destruction on " "Join the threads that use the object before its destructor runs"
shape 3 "concurrent push_back on jobs [" "Nothing may be done with a std::vector<int> while another thread changes it"
expect "the other pairs do not stand under the first" grep -qE '^   And at other places: R-[0-9a-f]+' err
expect "more than one entry for jobs" [ "$(grep -cE '^[0-9]+\. ' err)" = 1 ]
shape 4 "data race on flags.low|high [" "Bit-fields next to each other are one object"

# ---- the end of a lock ----
cat >ends.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct obj {
    pthread_mutex_t m;
    pthread_cond_t c;
    int refs, done;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t meet;
static int which, total;
static void drop(struct obj *o) /* the last one out */
{
    pthread_mutex_lock(&o->m);
    int last = --o->refs == 0;
    pthread_mutex_unlock(&o->m);
    if (!last)
        return;
    pthread_mutex_destroy(&o->m);
    pthread_cond_destroy(&o->c);
    if (which == 2)
        free(o);
}
static void finish(struct obj *o)
{
    pthread_mutex_lock(&o->m);
    o->done = 1;
    if (which == 2) { /* correct: the waiter has the lock before it can destroy the condition */
        pthread_cond_signal(&o->c);
        pthread_mutex_unlock(&o->m);
        drop(o);
    } else {
        pthread_mutex_unlock(&o->m);
        pthread_cond_signal(&o->c);
    }
}
static void *work(void *arg)
{
    switch (which) {
    case 0:
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        break;
    case 1: case 2: finish(arg); break;
    case 3:
        pthread_rwlock_rdlock(&table);
        pthread_rwlock_unlock(&table);
        break;
    case 4: sem_post(arg); break;
    case 5: pthread_mutex_lock(&((struct obj *)arg)->m); pthread_mutex_unlock(&((struct obj *)arg)->m); break;
    case 6:
        if (pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD)
            pthread_barrier_destroy(&meet);
        break;
    }
    return 0;
}
static void await(struct obj *o)
{
    pthread_mutex_lock(&o->m);
    while (!o->done)
        pthread_cond_wait(&o->c, &o->m);
    pthread_mutex_unlock(&o->m);
    drop(o);
}
int main(int argc, char **argv)
{
    pthread_t t;
    sem_t s;
    struct obj *o = calloc(1, sizeof *o);
    which = argc > 1 ? atoi(argv[1]) : 0;
    pthread_mutex_init(&o->m, 0);
    pthread_cond_init(&o->c, 0);
    sem_init(&s, 0, 0);
    pthread_barrier_init(&meet, 0, 2);
    o->refs = which == 2 ? 2 : 1;
    pthread_create(&t, 0, work, which == 4 ? (void *)&s : (void *)o);
    switch (which) {
    case 0: pthread_mutex_destroy(&lock); break;
    case 1: case 2: await(o); break;
    case 3: pthread_rwlock_destroy(&table); break;
    case 4: sem_wait(&s); sem_destroy(&s); break;
    case 5: free(o); break;
    case 6: work(0); break;
    }
    pthread_join(t, 0);
    return 0;
}
C
for level in 0 2; do
    heddle cc -g -O$level ends.c -o ends -pthread
    expect_code 0
    ends() { # ends NUMBER HEADING
        heddle run --times 1 -- ./ends "$1"
        expect_code 66
        expect_err ". $2 [confirmed "
        tr -s ' \n' ' ' <err >flat
        expect "-O$level, case $1 lacks the fix" grep -qF "$3" flat
    }
    destroy="Fix: Destroy it when no thread can use it any more"
    ends 0 "use of destroyed mutex lock" "$destroy"
    ends 1 "use of destroyed condition variable obj.c" "$destroy"
    ends 3 "use of destroyed rwlock table" "$destroy"
    ends 5 "use after free of obj.m" "Fix: Free it when no thread uses it any more"
    for case in 2 4 6; do # as POSIX allows it
        heddle run --times 1 -- ./ends $case
        expect_code 0
    done
done

# The order in which the lock is gone already is a schedule of its own.
cat >gone.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock;
static void *work(void *arg)
{
    if (pthread_mutex_lock(&lock))
        abort();
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_init(&lock, 0);
    pthread_create(&t, 0, work, 0);
    pthread_mutex_destroy(&lock);
    return pthread_join(t, 0);
}
C
heddle cc -g gone.c -o gone -pthread
heddle explore --strategy dpor --times 1 -- ./gone
expect_code 66
expect_err "use of destroyed mutex lock [confirmed "
expect_err "search: all 3 schedules explored"
heddle run --times 1 -- ./gone
expect_err "use of destroyed mutex lock [confirmed "
expect_err "Effect: killed by SIGABRT"

# ---- among several the one that fails is first ----
cat >worst.c <<'C'
#include <assert.h>
#include <pthread.h>
static int a, b, c, d, box, *volatile cell = &box;
static void *count(void *arg)
{
    a++, b++, c++, d++;
    return arg;
}
static void *look(void *arg)
{
    int *p = cell;
    assert(p);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    a++, b++, c++, d++;
    pthread_join(t, 0);
    pthread_create(&t, 0, look, 0);
    cell = 0;
    pthread_join(t, 0);
    return 0;
}
C
heddle run --times 1 worst.c
jq -r '.races[].variable' heddle-out/latest/report.json >order
expect "the failed assertion is not first: $(tr '\n' ' ' <order)" [ "$(head -1 order)" = cell ]
expect "there is nothing to compare with: $(tr '\n' ' ' <order)" [ "$(sort -u order | wc -l)" -ge 5 ]
finish
