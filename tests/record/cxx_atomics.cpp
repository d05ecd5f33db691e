// std::atomic with wait and notify, latch, barrier, jthread, semaphores.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>

static std::atomic<int> flag{0};
static int data, sum;
static std::counting_semaphore<4> sem(0);

int main()
{
    std::latch done(2);
    std::barrier sync(2);
    std::thread t([&] {
        data = 3;
        flag.store(1, std::memory_order_release);
        flag.notify_all();
        sync.arrive_and_wait();
        sum = data; // RACE a
        sem.release();
        done.count_down();
    });
    {
        std::jthread u([&](std::stop_token) {
            sync.arrive_and_wait();
            done.count_down();
        });
        flag.wait(0, std::memory_order_acquire);
        data++; // RACE a
    }
    sem.acquire();
    done.wait();
    t.join();
    std::printf("data %d sum %d\n", data, sum == 3 || sum == 4);
    return 0;
}
