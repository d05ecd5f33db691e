/* A std::map, whose balancing is code of libstdc++ without hooks, under a lock; then a counter
 * without it. The end of each thread calls operator delete and an empty destructor of libstdc++:
 * these write nothing, so the unseen writes are those of the map, and the counter is not ordered by
 * them. With -DRIGHT the counter is under the lock, too. */
#include <map>
#include <mutex>
#include <thread>

static std::map<int, int> table;
static std::mutex lock;
static long counter;

static void put(int from)
{
    for (int i = 0; i < 4; i++) {
        std::lock_guard<std::mutex> guard(lock);
        table[from + i] = i;
    }
#ifdef RIGHT
    std::lock_guard<std::mutex> guard(lock);
#endif
    counter += from;
}

int main()
{
    std::thread a(put, 1), b(put, 100);
    a.join();
    b.join();
    return table.size() == 8 && counter > 0 ? 0 : 1;
}
