#!/usr/bin/env bash
# What a race is on, by name: locals of other threads, fields, statics, members, thread-locals; also in
# optimised code, where a name is left out rather than wrong.
. "$TESTS/cli/lib.sh" || exit 1
cat >names.cpp <<'C'
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>
struct Slot { int used, len; };
struct Queue { int n; Slot slots[8]; Slot *more; };
struct Stats { static int hits; };
int Stats::hits;
static thread_local int mine;
static Queue queue_; Queue *queue = &queue_;
static struct { int a, b; Slot s[4]; } box;
struct Node { int id; Node *next; } *head;
namespace app { int level; struct Cfg { std::string name; int depth; } cfg; }
namespace { int hidden; }
static struct { unsigned low : 3, high : 5; int rest; } flags;
int *leak;
static int grid[3][5];
std::vector<int> jobs(8);
std::map<int, int> table{{1, 1}};
struct Registry { long lock; int entries; };
static Registry &instance() { static Registry one; return one; }
int main(int argc, char **argv) {
    int which = argc > 1 ? atoi(argv[1]) : 0, i = argc > 2 ? 3 : 34;
    int a[64] = {}; Slot own[3] = {}; auto both = std::make_pair(1, 2); std::array<int, 4> four{};
    head = new Node{1, nullptr}; queue->more = new Slot[4](); leak = &mine;
    auto body = [&] {
        switch (which) {
        case 0: a[i]++; break;
        case 1: own[2].len++; break;
        case 2: both.second++; break;
        case 3: queue->slots[3].len++; break;
        case 4: queue->more[2].used++; break;
        case 5: Stats::hits++; break;
        case 6: (*leak)++; break;
        case 7: box.s[2].len++; break;
        case 8: head->id++; break;
        case 9: app::level++; break;
        case 10: app::cfg.depth++; break;
        case 11: hidden++; break;
        case 12: flags.high++; break;
        case 13: grid[1][4]++; break;
        case 14: jobs.push_back(1); break;
        case 15: app::cfg.name = "x"; break;
        case 16: instance().entries++; break;
        case 17: table.find(1)->second++; break;
        case 18: four[3]++; break;
        }
    };
    std::thread t1(body), t2(body);
    t1.join(); t2.join();
    printf("%d %d %d %d\n", a[i], own[2].len, both.second, box.a);
}
C
# expect_name NUMBER NAME LOCATION: of every race of that case.
expect_name() {
    heddle run --times 1 --runs 1 --json=out.json -- "./$program" "$1"
    expect_code 66
    jq -r '.races[].variable' out.json | sort -u >found
    [ "$(cat found)" = "$2" ] || fail "$program $1: $(cat found), expected $2"
    jq -r '.races[].location' out.json | sort -u >found
    [ "$(cat found)" = "$3" ] || fail "$program $1: it lives in: $(cat found), expected $3"
}
for level in 0 2; do
    program=names$level
    heddle c++ -std=c++20 -O$level -g names.cpp -o $program -pthread
    expect_code 0
    expect_name 5 Stats::hits global
    expect_name 6 mine thread-local
    expect_name 7 "box.s[2].len" global
    expect_name 14 jobs "global, a std::vector<int>"
    expect_name 16 one.entries global
    heddle run --times 1 --runs 1 --json=out.json -- ./$program 17 # no parts of the library's own
    expect "a node of a map: $(jq -c '[.races[].variable]' out.json)" jq -e '[.races[].variable] | all(startswith("heap block"))' out.json >/dev/null
done
program=names0
expect_name 0 "a[34] of main (names.cpp:26)" "local of main"
expect "the schedule has another name" jq -e '[.races[0].schedule[] | select(.racing).object] == ["a[34] of main", "a[34] of main"]' out.json
expect_name 1 "own[2].len of main (names.cpp:26)" "local of main"
expect_name 2 "both.second of main (names.cpp:26)" "local of main"
expect_name 3 "queue_.slots[3].len" global
expect_name 9 app::level global
expect_name 10 app::cfg.depth global
expect_name 11 hidden global
expect_name 12 "flags.low|high" "global, bit-fields that share bytes"
expect_name 13 "grid[1][4]" global
expect_name 15 app::cfg.name "global, a std::string"
expect_name 18 "four[3] of main (names.cpp:26)" "local of main"
# On the heap the type of the block is known from the access, and the line may say more.
for case in 4="queue->more[2].used" 8=Node.id; do
    heddle run --times 1 --runs 1 --json=out.json -- ./names0 "${case%=*}"
    expect "case ${case%=*}: $(jq -c '[.races[].variable]' out.json)" jq -e --arg n "${case#*=}" '[.races[].variable] | all(. == $n)' out.json >/dev/null
done
# Without debug information of the owner nothing is made up.
for case in 0=a[34] 1=own[2].len; do
    heddle run --times 1 --runs 1 --json=out.json -- ./names2 "${case%=*}"
    expect "a wrong name: $(jq -c '[.races[].variable]' out.json)" jq -e --arg n "${case#*=} of main (names.cpp:26)" \
        '[.races[].variable] | length > 0 and all(. == "a local of main" or . == $n)' out.json >/dev/null
done

# ---- elements of vectors, objects behind smart pointers: as the line calls them ----
cat >owned.cpp <<'C'
#include <memory>
#include <thread>
#include <vector>
struct Job { int id; long len; };
struct Pool { std::vector<Job> jobs; };
static void work(Pool &pool, std::shared_ptr<Job> &job, std::vector<int> &v)
{
    pool.jobs[1].len = 7;
    job->id++;
    v[2] = v[2] + 1;
}
int main()
{
    Pool pool{std::vector<Job>(4)};
    auto job = std::make_shared<Job>();
    std::vector<int> v(8);
    std::thread other([&] { work(pool, job, v); });
    work(pool, job, v);
    other.join();
}
C
for level in 0 1 2; do
    heddle run --cflags "-std=c++17 -O$level" --times 1 --runs 1 --json=out.json -o "owned$level" owned.cpp
    expect_code 66
    names=$(jq -r '[.races[].variable] | unique | join(" ")' out.json)
    job="Job.id" # what the access itself says
    [ $level = 0 ] && job="job->id"
    expect "-O$level: elements are called $names" [ "$names" = "$job pool.jobs[1].len v[2]" ]
    expect "-O$level: the page has parameters of functions" sh -c "! grep -q 'work(Pool&amp;' owned$level/report.html"
    expect "-O$level: the block is not told" jq -e '[.races[].location] | all(startswith("heap block ("))' out.json >/dev/null
done

# ---- threads of the C++ library: their role, and who made them ----
cat >deep.cpp <<'C'
#include <thread>
#include <vector>
int racy;
void level3(std::vector<std::jthread> &v)
{
    v.emplace_back([] { racy++; });
}
void level2(std::vector<std::jthread> &v)
{
    level3(v);
    level3(v);
    racy += v.size() > 100;
}
int main()
{
    std::vector<std::jthread> v;
    level2(v);
}
C
for level in 0 2; do
    heddle run --cflags "-std=c++20 -O$level" --times 1 --runs 1 -o "deep$level" deep.cpp
    expect_err "by lambda in level3 (T1.1) deep.cpp:6:"
    heddle show --run "deep$level"
    tr -s ' \n' ' ' <out >flat
    expect "-O$level: the way to the thread is cut: $(grep -o 'created by.*' flat | head -c 300)" \
        grep -qE 'created by T1 at: #[0-9]+ level3 deep.cpp:6 #[0-9]+ level2 deep.cpp:(10|11) #[0-9]+ main deep.cpp:17' flat
    expect "raw names of the C++ library" sh -c "! grep -qE '_Z[A-Z0-9]|decltype' out"
done
# ---- structured bindings, classes of functions, locks on stacks ----
cat >own.cpp <<'C'
#include <mutex>
#include <thread>
struct Point { int x, y; };
int other;
int main(int argc, char **)
{
    struct Local { std::mutex held; int n = 0; };
    Point point{argc, 2};
    auto [px, py] = point;
    auto *p = new Local;
    std::mutex outer;
    std::thread t([&, &px = px] {
        px++;
        std::lock_guard<std::mutex> a(p->held);
        p->n++;
        std::lock_guard<std::mutex> b(outer);
        other++;
    });
    px++;
    p->n++;
    other++;
    t.join();
    return px + py;
}
C
heddle run --cflags "-std=c++20 -O0" --times 1 --runs 1 --json=out.json -o own own.cpp
expect_code 66
names=$(jq -r '[.races[].variable] | unique | join(", ")' out.json)
expect "variables are called $names" [ "$names" = "Local.n, [binding].x of main (own.cpp:9), other" ]
locks=$(jq -r '[.races[].accesses[].locks[]] | unique | join(", ")' out.json)
expect "locks are called $locks" [ "$locks" = "Local.held, outer of main" ]
finish
