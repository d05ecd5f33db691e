/* Asynchronous calls that count what they did. */
#include <atomic>
#include <cstdio>
#include <future>

#ifdef GOOD
static std::atomic<int> calls;
#else
static int calls;
#endif

static int twice(int n)
{
    calls++;
    return 2 * n;
}

int main()
{
    auto a = std::async(std::launch::async, twice, 1);
    auto b = std::async(std::launch::async, twice, 2);
    int sum = a.get() + b.get();
    std::printf("%d %d\n", sum, (int)calls);
}
