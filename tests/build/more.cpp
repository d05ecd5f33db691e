#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> list;

extern "C" int more(int n);

int more(int n)
{
    std::thread t([n] {
        std::lock_guard<std::mutex> hold(lock);
        for (int i = 0; i < n; i++)
            list.push_back(i);
    });
    t.join();
    std::lock_guard<std::mutex> hold(lock);
    return (int)list.size();
}
