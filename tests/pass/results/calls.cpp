// The same as calls.c for C++: what std::thread and its locks tell depends on no earlier read.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

int x, y, sink;
static std::mutex order, mutex;
static std::timed_mutex timed;
static std::recursive_timed_mutex recursive;
static std::shared_timed_mutex shared;
static std::condition_variable changed;

static int holds(int n)
{
    using namespace std::chrono;
    auto far = system_clock::time_point(seconds(4000000000));
    switch (n) {
        // clang-format off
    case 0: return mutex.try_lock();
    case 1: return timed.try_lock();
    case 2: return timed.try_lock_for(hours(1));
    case 3: return timed.try_lock_until(far);
    case 4: return recursive.try_lock_for(hours(1));
    case 5: return shared.try_lock_for(hours(1));
    case 6: return shared.try_lock_shared_for(hours(1));
    case 7: return shared.try_lock_shared_until(far);
    case 8: return steady_clock::now().time_since_epoch().count() >= 0;
    case 9: return system_clock::now().time_since_epoch().count() >= 0;
        // clang-format on
    case 10: { // a thread that is created depends on what it is given
        std::thread([] { y = 3; }).join();
        return 1;
    }
    case 11: {
        changed.notify_all();
        return 1;
    }
    case 12: {
        std::unique_lock<std::mutex> hold(mutex);
        changed.wait_for(hold, milliseconds(1));
        return 1;
    }
    case 13:
        std::this_thread::sleep_for(milliseconds(1));
        return 1;
    default:
        return -1;
    }
}

static void first()
{
    y = 1;
    std::lock_guard<std::mutex> hold(order);
    x = 1;
}

static void second()
{
    {
        std::lock_guard<std::mutex> hold(order);
        sink = x;
    }
    if (holds(CASE) == 1)
        y = 2;
}

int main()
{
    std::thread a(first);
    std::thread b(second);
    a.join();
    b.join();
    return y != 2;
}
