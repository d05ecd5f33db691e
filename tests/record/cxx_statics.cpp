// A static made by the first caller, and one whose constructor throws the first time.
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

static int made, tries;
static std::mutex lock;

struct thing {
    int value;
    thing() : value(++made + 40)
    {
    }
};

struct shy {
    shy()
    {
        if (++tries == 1)
            throw std::runtime_error("first");
    }
};

static thing &get()
{
    static thing t;
    return t;
}

static void work()
{
    std::lock_guard l(lock);
    get().value++;
}

int main()
{
    std::thread t(work), u(work);
    t.join();
    u.join();
    for (int i = 0; i < 2; i++) {
        try {
            static shy s;
        } catch (const std::runtime_error &) {
            std::printf("threw\n");
        }
    }
    std::printf("made %d value %d tries %d\n", made, get().value, tries);
    return 0;
}
