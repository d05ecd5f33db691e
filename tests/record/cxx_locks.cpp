// std::mutex and its kin, scoped_lock on two, try_lock_for, call_once, condition_variable_any.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex a, b;
static std::timed_mutex timed;
static std::recursive_mutex rec;
static std::shared_mutex shared;
static std::once_flag once;
static std::condition_variable_any cond;
static int x, made, ready;

static void work()
{
    using namespace std::chrono_literals;
    std::call_once(once, [] { made++; });
    {
        std::scoped_lock both(b, a);
        x++;
    }
    if (timed.try_lock_for(1ms))
        timed.unlock();
    std::lock_guard r1(rec);
    std::lock_guard r2(rec);
    std::unique_lock l(shared);
    ready++;
    cond.notify_all();
}

int main()
{
    timed.lock();
    std::thread t(work), u(work);
    {
        std::shared_lock l(shared);
        cond.wait(l, [] { return ready == 2; });
    }
    t.join();
    u.join();
    timed.unlock();
    std::printf("x %d made %d\n", x, made);
    return 0;
}
