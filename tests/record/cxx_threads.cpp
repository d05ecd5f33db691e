// std::thread, mutex, condition_variable, call_once, statics, async, promise, shared_mutex.
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::recursive_mutex again;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable cond;
static std::once_flag once;
static int ready, made, sum, table = 3;

struct Thing {
    int v;
    Thing() : v(7)
    {
    }
};

static Thing &thing()
{
    static Thing t;
    return t;
}

static void work(int n)
{
    std::call_once(once, [] { made++; });
    std::unique_lock<std::mutex> hold(lock);
    cond.wait(hold, [] { return ready != 0; });
    std::lock_guard<std::recursive_mutex> a(again), b(again);
    sum += n + thing().v;
}

static int reader()
{
    std::shared_lock<std::shared_mutex> hold(shared);
    return table;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 1; i <= 2; i++)
        threads.emplace_back(work, i);
    {
        std::lock_guard<std::mutex> hold(lock);
        ready = 1;
    }
    cond.notify_all();
    for (auto &t : threads)
        t.join();
    std::printf("sum %d made %d\n", sum, made);
    auto f = std::async(std::launch::async, reader);
    std::promise<int> p;
    std::thread setter([&p] { p.set_value(5); });
    std::printf("async %d promise %d\n", f.get(), p.get_future().get());
    setter.join();
    std::unique_lock<std::timed_mutex> t(timed, std::chrono::milliseconds(10));
    std::printf("timed %d\n", (int)t.owns_lock());
    std::unique_lock<std::mutex> hold(lock);
    bool late = cond.wait_for(hold, std::chrono::milliseconds(20)) == std::cv_status::timeout;
    std::printf("late %d\n", (int)late);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 0;
}
