// Exceptions through call_once and out of locked regions.
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static std::mutex lock;
static int tries;

static void make()
{
    if (++tries < 3)
        throw std::runtime_error("not yet");
}

static void work()
{
    for (int i = 0; i < 2; i++) {
        try {
            std::call_once(once, make);
            std::lock_guard<std::mutex> hold(lock);
            throw 1;
        } catch (const std::runtime_error &e) {
            std::printf("%s\n", e.what());
        } catch (int n) {
            std::printf("int %d\n", n);
        }
    }
}

int main()
{
    std::thread a(work);
    a.join();
    std::thread b(work);
    b.join();
    std::printf("tries %d\n", tries);
    return 0;
}
