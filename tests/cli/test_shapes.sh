#!/usr/bin/env bash
# What a race is for its reader: use after free, destruction, containers, bit-fields; the worst
# effect first; races on one variable under one of them.
. "$TESTS/cli/lib.sh"
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
shape 0 "use after free of heap block (8 bytes) from shapes.cpp:12" "Free it when nobody uses it any more"
expect "the page does not say so" grep -q "Use after free of " 0.html
shape 2 "virtual call during destruction on " "Join the threads that use the object before its destructor runs"
shape 3 "data race on jobs [" "Nothing may be done with a std::vector<int> while another thread changes it"
expect "the other pairs do not stand under the first" grep -qE '^   And at other places: R-[0-9a-f]+' err
expect "more than one entry for jobs" [ "$(grep -cE '^[0-9]+\. ' err)" = 1 ]
shape 4 "data race on flags.low|high [" "Bit-fields next to each other are one object"

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
