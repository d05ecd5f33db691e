// containers WHAT [racy]: two threads use one container, under a lock or not. The nodes of
// std::map, std::set and std::list are linked by code of libstdc++'s library, which
// include/heddle/libstdcxx replaces.
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex lock;
static bool locked = true;

template <class F> static void guarded(F f)
{
    std::unique_lock<std::mutex> hold(lock, std::defer_lock);
    if (locked)
        hold.lock();
    f();
}

template <class F, class G> static void both(F one, G other)
{
    std::thread a([&] { guarded(one); }), b([&] { guarded(other); });
    a.join();
    b.join();
}

static std::map<int, int> table{{1, 1}, {2, 2}, {4, 4}, {6, 6}, {7, 7}};
static std::set<int> numbers{1, 2, 3, 4, 5, 6, 7};
static std::list<int> items{1, 2, 3}, others{4, 5};
static std::string key = "a key that is longer than the small buffer";
static std::unordered_map<std::string, int> index_of{{key, 1}};
static int sum;

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    locked = argc < 3;
    if (!strcmp(what, "walk")) // reads of the links only
        both(
            [] {
                for (auto &entry : table)
                    sum += entry.second;
            },
            [] { table[5] = 5; });
    else if (!strcmp(what, "back"))
        both(
            [] {
                for (auto i = numbers.rbegin(); i != numbers.rend(); ++i)
                    sum += *i;
            },
            [] { numbers.erase(3); });
    else if (!strcmp(what, "erase"))
        both([] { numbers.erase(1); }, [] { numbers.erase(6); });
    else if (!strcmp(what, "list"))
        both(
            [] {
                for (int i : items)
                    sum += i;
            },
            [] { items.push_front(0); });
    else if (!strcmp(what, "splice"))
        both([] { items.splice(items.end(), others); }, [] { items.pop_back(); });
    else if (!strcmp(what, "hash")) // what libstdc++'s hash reads
        both([] { sum = std::hash<std::string>()(key) != 0; }, [] { key[3] = 'K'; });
    else if (!strcmp(what, "grow"))
        both([] { sum = index_of.count("other"); }, [] { index_of.rehash(100); });
    else
        return 2;
    std::printf("%d %zu %zu %zu\n", sum, table.size(), numbers.size(), items.size());
    return 0;
}
