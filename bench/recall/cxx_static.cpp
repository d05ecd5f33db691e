/* A static inside a function is made by one thread; what is in it is changed by both. */
#include <cstdio>
#include <mutex>
#include <thread>

struct registry {
    std::mutex lock;
    int entries = 0;
};

static registry &instance()
{
    static registry one;
    return one;
}

static void enter()
{
    registry &r = instance();
#ifdef GOOD
    std::lock_guard<std::mutex> held(r.lock);
#endif
    r.entries++;
}

int main()
{
    std::thread a(enter), b(enter);
    a.join();
    b.join();
    std::printf("%d\n", instance().entries);
}
