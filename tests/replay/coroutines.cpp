/* A pool of two threads that resumes coroutines; each coroutine goes back into the queue before
 * every step. Without GOOD they count without a lock. Under policy fifo one thread resumes both. */
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

struct task {
    struct promise_type {
        task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
        }
    };
    std::coroutine_handle<promise_type> handle;
};

class pool
{
    std::mutex lock;
    std::condition_variable more;
    std::queue<std::coroutine_handle<>> ready;
    bool stop = false;
    std::thread threads[2];

    void work()
    {
        for (;;) {
            std::coroutine_handle<> next;
            {
                std::unique_lock held(lock);
                more.wait(held, [this] { return stop || !ready.empty(); });
                if (ready.empty())
                    return;
                next = ready.front();
                ready.pop();
            }
            next.resume();
        }
    }

  public:
    pool()
    {
        for (auto &t : threads)
            t = std::thread([this] { work(); });
    }
    void post(std::coroutine_handle<> handle)
    {
        {
            std::lock_guard held(lock);
            ready.push(handle);
        }
        more.notify_one();
    }
    ~pool()
    {
        {
            std::lock_guard held(lock);
            stop = true;
        }
        more.notify_all();
        for (auto &t : threads)
            t.join();
    }
};

struct requeue {
    pool &to;
    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> handle)
    {
        to.post(handle);
    }
    void await_resume()
    {
    }
};

static int counter, done;
static std::mutex done_lock, counter_lock;

static task count(pool &on, int steps)
{
    for (int i = 0; i < steps; i++) {
        co_await requeue{on};
#ifdef GOOD
        std::lock_guard held(counter_lock);
#endif
        counter++;
    }
    std::lock_guard held(done_lock);
    done++;
}

static bool all_done()
{
    std::lock_guard held(done_lock);
    return done == 2;
}

int main()
{
    task a, b;
    {
        pool p;
        a = count(p, 3);
        b = count(p, 3);
        p.post(a.handle);
        p.post(b.handle);
        while (!all_done())
            std::this_thread::yield();
    }
    a.handle.destroy();
    b.handle.destroy();
    std::printf("%d\n", counter);
}
