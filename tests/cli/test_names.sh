#!/usr/bin/env bash
# What things are called in reports: locks by variable and field, C++ frames, the same names in a replay; and nothing wider than
# 80 columns.
. "$TESTS/cli/lib.sh" || exit 1
cat >cache.cpp <<'C'
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <cstdio>
class Cache {
public:
    void put(const std::string &k, int v)
    {
        std::lock_guard<std::mutex> g(m);
        map[k] = v;
        hits++;
    }
    int seen() { return hits; }

private:
    int first = 0;
    std::mutex m;
    std::map<std::string, int> map;
    int hits = 0;
};
struct Pool {
    int n = 0;
    std::mutex lock;
    std::vector<int> items;
};
namespace deep { Cache global_cache; }
int main()
{
    Cache c;
    Pool *p = new Pool, *q = new Pool;
    std::thread a([&] {
        c.put("a", 1);
        std::lock_guard<std::mutex> g(p->lock);
        p->items.push_back(1);
        p->n++;
        std::lock_guard<std::mutex> h(q->lock);
        q->n++;
    });
    std::thread b([&] {
        std::printf("%d\n", (int)p->items.size() + c.seen() + q->n);
        deep::global_cache.put("x", 1);
    });
    std::thread d([&] { std::printf("%d\n", deep::global_cache.seen()); });
    a.join();
    b.join();
    d.join();
    delete p;
    delete q;
}
C
heddle run -v --json=cache.json cache.cpp
expect_code 66
expect "more than 80 columns: $(grep -E '.{81}' err | head -1)" sh -c "! grep -qE '.{81}' err"
expect "frames of the library in the text" sh -c "! grep -qE 'std_thread.h|__invoke|gthr-default' err"
expect_err "Frames of libraries are left out; heddle report -v --full-stacks shows them."
held() { jq -r '[.races[].accesses[].locks[]] | unique | join(" ")' "$1"; }
for lock in Cache.m Pool.lock 'Pool.lock#2' global_cache.m; do
    expect "$lock is not among: $(held cache.json)" grep -qwF -- "$lock" <<<"$(held cache.json) $(cat err)"
done
held cache.json >names
expect "an address for a name: $(cat names)" sh -c "! grep -qE 'stack:|heap#' names"
expect "no detours in paths" sh -c "! grep -q '/\\.\\./' cache.json"
expect "JSON without the frames of libraries" jq -e '[.races[].accesses[].stack[].file // ""] | any(startswith("/usr/"))' cache.json >/dev/null
# An access inside the library is shown where the program calls it.
expect "places in the library" jq -e '[.races[].accesses[] | select(.stack | length > 1) | .file] | all(. == "cache.cpp")' cache.json >/dev/null
expect "the library is not named" grep -qE '^      inside .*\(stl_vector.h:[0-9]+\)' err
heddle report --full-stacks
expect_out "/usr/include/c++"
heddle report -v
expect "frames of the library in the text" sh -c "! grep -q '/usr/include' out"
id=$(jq -r '[.races[] | select(.variable == "Pool.n")][0].id' cache.json)
heddle replay "$id"
expect_code 66
expect_out "CONFIRMED race on Pool.n"

# Locks of variables of C: in a struct, in an array, in an array of structs; by a typedef.
cat >locks.c <<'C'
#include <pthread.h>
typedef struct { int n; pthread_mutex_t guard; } box;
struct row { pthread_mutex_t cells[2]; int v; };
static box one = {0, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t many[3];
static struct row rows[2];
static int x;
static void *first(void *arg)
{
    pthread_mutex_lock(&one.guard);
    pthread_mutex_lock(&many[2]);
    pthread_mutex_lock(&rows[1].cells[1]);
    x = 1;
    pthread_mutex_unlock(&rows[1].cells[1]);
    pthread_mutex_unlock(&many[2]);
    pthread_mutex_unlock(&one.guard);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    x = 2;
    return pthread_join(t, 0);
}
C
heddle run --json=locks.json locks.c
expect_code 66
expect "locks are: $(held locks.json)" [ "$(held locks.json)" = "many[2] one.guard rows[1].cells[1]" ]

# Two locks of the same name are two locks.
cat >left.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *right(void *);
static void *left(void *arg)
{
    pthread_mutex_lock(&lock);
    x = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, left, 0);
    pthread_create(&u, 0, right, 0);
    return pthread_join(t, 0) + pthread_join(u, 0);
}
C
cat >right.c <<'C'
#include <pthread.h>
extern int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *right(void *arg)
{
    pthread_mutex_lock(&lock);
    x = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}
C
heddle run --json=two.json left.c right.c
expect_code 66
expect "two locks are: $(held two.json)" [ "$(held two.json)" = "lock lock#2" ]

# A call at the end of a function leaves its frame in the stack, whatever the optimiser would like.
cat >tail.c <<'C'
#include <pthread.h>
int level;
__attribute__((noinline)) static void inner(int v) { level = v; }
__attribute__((noinline)) static void middle(int v) { inner(v + 1); }
static void *run(void *p)
{
    middle(1);
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
heddle cc -O2 -fomit-frame-pointer tail.c -o tail -pthread
heddle run -v --runs 1 -o tail_out -- ./tail
expect_err '#1 middle tail.c:4'
expect_err '#2 run tail.c:7'
finish
