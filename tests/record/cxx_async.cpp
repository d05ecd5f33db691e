// std::async, promise and future, packaged_task: results are ordered after the work.
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

static int shared;

int main()
{
    auto f = std::async(std::launch::async, [] {
        shared = 4;
        return 5;
    });
    int r = f.get();
    shared += r;
    std::promise<int> p;
    auto g = p.get_future();
    std::thread t([&] { p.set_value(shared + 1); });
    r = g.get();
    t.join();
    std::packaged_task<int()> task([]() -> int { throw std::runtime_error("no"); });
    auto h = task.get_future();
    std::thread u(std::move(task));
    u.join();
    try {
        h.get();
    } catch (const std::runtime_error &e) {
        std::printf("threw %s\n", e.what());
    }
    std::printf("shared %d r %d\n", shared, r);
    return 0;
}
