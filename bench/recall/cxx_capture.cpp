/* Threads whose lambda captures what main goes on changing. */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
    std::vector<std::thread> threads;
    std::mutex lock;
    int sum = 0, step = 0;
    for (step = 0; step < 3; step++) {
#ifdef GOOD
        threads.emplace_back([&lock, &sum, step] {
#else
        threads.emplace_back([&] {
#endif
            std::lock_guard<std::mutex> held(lock);
            sum += step;
        });
    }
    for (auto &t : threads)
        t.join();
    std::printf("%d\n", sum);
}
