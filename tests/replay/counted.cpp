// Objects that several threads hold and count: an exception, and blocks whose addresses are used
// again. BAD: `count` is not guarded, or the pointer is not atomic.
#include <atomic>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#if V == 1
static int count;

struct trouble : std::runtime_error {
    int *where;
    explicit trouble(int *p) : std::runtime_error("trouble"), where(p)
    {
    }
};

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([&promise] {
        try {
            throw trouble(&count);
        } catch (...) {
            count++;
            promise.set_exception(std::current_exception());
#ifdef BAD
            count++;
#endif
        }
    });
    try {
        future.get();
    } catch (trouble &e) {
        (*e.where)++;
    }
    t.join();
    return 0;
}
#else
struct pair {
    int a, b;
};
#ifdef BAD
static std::shared_ptr<pair> current = std::make_shared<pair>(pair{1, 1});
#else
static std::atomic<std::shared_ptr<pair>> current{std::make_shared<pair>(pair{1, 1})};
#endif

int main()
{
    std::thread t([] {
        for (int i = 0; i < 3; i++) {
            std::shared_ptr<pair> now = current;
            if (now->a != now->b)
                std::puts("bad");
        }
    });
    for (int i = 0; i < 3; i++)
        current = std::make_shared<pair>(pair{i, i});
    t.join();
    return 0;
}
#endif
