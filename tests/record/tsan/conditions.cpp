// Conditions of every kind: the library calls them with the mutex held, also for threads that wait.
// With RACY one of them reads what nobody guards.
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include <thread>
#include <vector>
#include <cstdio>

static absl::Mutex mu;
static bool busy, open_now, never;
static int resource, items, taken, unguarded;

struct Gate {
    int left = 3;
    bool Passed() const
    {
        return left == 0;
    }
};
static Gate gate;

static bool not_busy(void *)
{
    return !busy;
}

static void own_lock()
{
    for (int i = 0; i < 3; i++) {
        mu.LockWhen(absl::Condition(not_busy, static_cast<void *>(nullptr)));
        busy = true;
        mu.Unlock();
        resource++; // nobody else is here
        mu.Lock();
        busy = false;
        mu.Unlock();
    }
    absl::MutexLock l(&mu);
    gate.left--;
}

static void consumer()
{
    auto some = [] { return items > 0; };
    for (int i = 0; i < 3; i++) {
        absl::MutexLock l(&mu, absl::Condition(&some));
        items--;
        taken++;
    }
#ifdef RACY
    auto seen = [] { return unguarded > 0; };
    absl::MutexLock l(&mu, absl::Condition(&seen));
#endif
}

static void producer()
{
    for (int i = 0; i < 3; i++) {
        absl::MutexLock l(&mu);
        items++;
    }
#ifdef RACY
    unguarded++; // race: read by a condition
    absl::MutexLock l(&mu);
#endif
}

static void reader()
{
    mu.ReaderLockWhen(absl::Condition(&open_now));
    int n = gate.left;
    mu.ReaderUnlock();
    absl::MutexLock l(&mu);
    mu.AwaitWithTimeout(absl::Condition(&never), absl::Milliseconds(1));
    gate.left -= n ? 0 : 0;
}

#ifdef FEW
int main()
{
    std::thread a(own_lock), b(own_lock);
    a.join();
    b.join();
    return 0;
}
#else
int main()
{
    std::vector<std::thread> all;
    all.emplace_back(own_lock);
    all.emplace_back(own_lock);
    all.emplace_back(own_lock);
    all.emplace_back(consumer);
    all.emplace_back(producer);
    all.emplace_back(reader);
    {
        absl::MutexLock l(&mu);
        mu.Await(absl::Condition(&gate, &Gate::Passed));
        open_now = true;
    }
    for (auto &t : all)
        t.join();
    printf("%d %d\n", resource, taken);
    return 0;
}
#endif
