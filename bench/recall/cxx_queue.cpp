/* Consumers of a queue with a condition variable; they keep the largest value they saw. */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex lock;
static std::condition_variable more;
static std::queue<int> jobs;
static int largest;

static void consume()
{
    for (;;) {
        std::unique_lock<std::mutex> held(lock);
        more.wait(held, [] { return !jobs.empty(); });
        int job = jobs.front();
        if (job < 0)
            return;
        jobs.pop();
#ifndef GOOD
        held.unlock();
#endif
        if (job > largest)
            largest = job;
    }
}

int main()
{
    std::thread a(consume), b(consume);
    for (int job : {3, 1, 4, 1, 5, -1}) {
        std::lock_guard<std::mutex> held(lock);
        jobs.push(job);
        more.notify_all();
    }
    a.join();
    b.join();
    std::printf("%d\n", largest);
}
