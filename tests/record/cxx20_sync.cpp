// C++20: latch, barrier, counting_semaphore, atomic wait and notify, jthread.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>

static std::latch start(2);
static std::barrier<> phase(2);
static std::counting_semaphore<4> items(0);
static std::atomic<int> flag{0};
static int value[2];

static void work(int me)
{
    value[me] = me + 1;
    start.count_down();
    phase.arrive_and_wait();
    items.release();
    flag.fetch_add(1);
    flag.notify_all();
}

int main()
{
    std::jthread a(work, 0), b(work, 1);
    start.wait();
    std::printf("values %d %d\n", value[0], value[1]);
    items.acquire();
    items.acquire();
    int seen = flag.load();
    while (seen != 2) {
        flag.wait(seen);
        seen = flag.load();
    }
    std::printf("flag %d\n", seen);
    return 0;
}
