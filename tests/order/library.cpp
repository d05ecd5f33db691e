// Synchronisation of C++20's library. KIND is what is used, FAULT 1 uses it wrongly.
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <queue>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>
#ifndef FAULT
#define FAULT 0
#endif
#define THREADS 3
#define ROUNDS  3
int data[THREADS], total, sum;
template <class F> static void each(F f)
{
    std::vector<std::thread> v;
    for (int i = 0; i < THREADS; i++)
        v.emplace_back(f, i);
    for (auto &t : v)
        t.join();
}
#if KIND == 0 /* one unit: a lock */
static std::counting_semaphore<FAULT ? 2 : 1> unit{1 + FAULT};
int main()
{
    each([](int) {
        for (int i = 0; i < ROUNDS; i++) {
            unit.acquire();
            total++;
            unit.release();
        }
    });
}
#elif KIND == 1  /* hand over: producer and consumer */
static std::counting_semaphore<8> full{0}, room{2};
int slots[2];
int main()
{
    std::thread p([] {
        for (int i = 0; i < 6; i++) {
            room.acquire();
            slots[i % 2] = i;
            full.release();
        }
    });
    for (int i = 0; i < 6; i++) {
        if (!FAULT || i)
            full.acquire();
        sum += slots[i % 2];
        room.release();
    }
    p.join();
}
#elif KIND == 2  /* binary semaphores, ping-pong */
static std::binary_semaphore ping{0}, pong{0};
int main()
{
    std::thread t([] {
        for (int i = 0; i < ROUNDS; i++) {
            ping.acquire();
            total++;
            pong.release();
        }
    });
    for (int i = 0; i < ROUNDS; i++) {
        total++;
        ping.release();
        if (!FAULT)
            pong.acquire();
    }
    t.join();
}
#elif KIND == 3  /* a latch for starting and one for the end */
int main()
{
    std::latch ready{THREADS}, go{1};
    std::vector<std::thread> v;
    for (int i = 0; i < THREADS; i++)
        v.emplace_back([&, i] {
            go.wait();
            data[i] = total;
            ready.count_down(1);
            if (FAULT && i == 1)
                data[i]++;
        });
    total = 4;
    go.count_down();
    ready.wait();
    for (int x : data)
        sum += x;
    for (auto &t : v)
        t.join();
}
#elif KIND == 4  /* arrive_and_wait of a latch */
static std::latch all{THREADS};
int main()
{
    each([](int i) {
        data[i] = i;
        if (FAULT && i == 0)
            all.count_down();
        else
            all.arrive_and_wait();
        int volatile x = data[(i + 1) % THREADS];
        (void)x;
    });
}
#elif KIND == 5  /* rounds of a barrier with a completion */
static void done() noexcept
{
    total = data[0] + data[1] + data[2];
}
int main()
{
    std::barrier b(THREADS, done);
    each([&](int i) {
        for (int r = 0; r < ROUNDS; r++) {
            data[i] += r;
            b.arrive_and_wait();
            int volatile x = total + data[(i + 1) % THREADS];
            (void)x;
            if (!FAULT || i)
                b.arrive_and_wait();
            else
                b.wait(b.arrive()), data[0]++, data[1] = total;
        }
    });
}
#elif KIND == 6  /* arrive without waiting, and arrive_and_drop */
int main()
{
    std::barrier<> b(THREADS);
    each([&](int i) {
        data[i] = i;
        if (i == 0) {
            auto token = b.arrive();
            b.wait(std::move(token));
        } else
            b.arrive_and_wait();
        int volatile x = data[(i + 1) % THREADS];
        (void)x;
        if (i == 2) {
            b.arrive_and_drop();
            if (FAULT)
                x = data[1];
            return;
        }
        b.arrive_and_wait();
        if (i == 1)
            data[i] = 7, total = 1;
        b.arrive_and_wait();
        if (i == 0)
            total = data[1];
    });
}
#elif KIND == 7  /* a stop token that is asked for */
int main()
{
    std::jthread t([](std::stop_token st) {
        while (!st.stop_requested())
            std::this_thread::yield();
        sum = total;
    });
    total = 5;
    t.request_stop();
    if (FAULT)
        total = 6;
}
#elif KIND == 8  /* a wait that a stop ends */
static std::mutex m;
static std::condition_variable_any cv;
int main()
{
    std::jthread t([](std::stop_token st) {
        std::unique_lock l(m);
        cv.wait(l, st, [] { return false; });
        sum = total;
    });
    total = 5;
    t.request_stop();
    if (FAULT)
        total = 6;
}
#elif KIND == 9  /* callbacks */
int main()
{
    std::stop_source s;
    std::thread t([st = s.get_token()] {
        std::stop_callback cb(st, [] { sum = total; });
        while (!st.stop_requested())
            std::this_thread::yield();
    });
    total = 5;
    s.request_stop();
    if (FAULT)
        total = 6;
    t.join();
}
#elif KIND == 10 /* two workers that one source stops; each has its own jthread */
int main()
{
    std::stop_source s;
    {
        std::jthread a(
            [](std::stop_token st) {
                while (!st.stop_requested())
                    std::this_thread::yield();
                data[0] = total;
            },
            s.get_token());
        std::jthread b(
            [](std::stop_token st) {
                while (!st.stop_requested())
                    std::this_thread::yield();
                data[1] = total;
            },
            s.get_token());
        total = 5;
        s.request_stop();
        if (FAULT)
            total = 6;
    }
    sum = data[0] + data[1];
}
#elif KIND == 11 /* callbacks of two threads at one source */
int main()
{
    std::stop_source s;
    auto wait = [](std::stop_token st, int i) {
        std::stop_callback cb(st, [i] { data[i] = total; });
        while (!st.stop_requested())
            std::this_thread::yield();
    };
    std::thread a(wait, s.get_token(), 0), b(wait, s.get_token(), 1);
    total = 5;
    s.request_stop();
    if (FAULT)
        total = 6;
    a.join();
    b.join();
}
#elif KIND == 12 /* try_acquire */
static std::binary_semaphore unit{1};
int main()
{
    each([](int) {
        for (int i = 0; i < ROUNDS; i++)
            if (unit.try_acquire()) {
                total++;
                unit.release();
                if (FAULT)
                    total++;
            }
    });
}
#elif KIND == 13 /* a pool of jthreads that wait with their stop tokens */
struct pool {
    std::mutex m;
    std::condition_variable_any cv;
    std::queue<int> jobs;
    std::vector<std::jthread> threads;
    void work(std::stop_token st)
    {
        for (;;) {
            std::unique_lock l(m);
            if (!cv.wait(l, st, [this] { return !jobs.empty(); }))
                return;
            int job = jobs.front();
            jobs.pop();
            if (FAULT)
                l.unlock();
            total += job;
        }
    }
    void post(int job)
    {
        {
            std::lock_guard l(m);
            jobs.push(job);
        }
        cv.notify_one();
    }
};
int main()
{
    pool p;
    for (int i = 0; i < 2; i++)
        p.threads.emplace_back([&p](std::stop_token st) { p.work(st); });
    for (int i = 1; i <= 3; i++)
        p.post(i);
}
#endif
