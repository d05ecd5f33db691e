// Exceptions that go from one thread to another: whoever lets go last destroys them.
#include <chrono>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

struct Trouble : std::exception {
    std::string text = "a text that is too long to be kept in the string itself";
    int number = 3;
    const char *what() const noexcept override
    {
        return text.c_str();
    }
};

// The thread keeps its exception until long after the other one has looked at it.
static void keeps(std::promise<void> &promise)
{
    std::exception_ptr held;
    try {
        throw Trouble();
    } catch (...) {
        held = std::current_exception();
        promise.set_exception(held);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

int main()
{
    for (int i = 0; i < 2; i++) {
        auto promise = std::make_unique<std::promise<void>>();
        std::thread t(keeps, std::ref(*promise));
        try {
            promise->get_future().get();
        } catch (const Trouble &e) {
            std::printf("%d: %s\n", e.number, e.what());
        }
        promise.reset();
        t.join();
    }
    auto lost = std::async(std::launch::async, [] { throw std::runtime_error("lost"); });
    try {
        lost.get();
    } catch (const std::runtime_error &e) {
        std::printf("%s\n", e.what());
    }
    return 0;
}
