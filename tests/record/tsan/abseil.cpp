// Locks of a library that is not instrumented: `guarded` and `ready` are kept, `loud` is not.
#include "absl/synchronization/mutex.h"

#include <cstdio>
#include <thread>

static absl::Mutex mutex;
static absl::CondVar changed;
int guarded, loud;
bool ready;

static void worker(int k)
{
    for (int i = 0; i < 3; i++) {
        absl::MutexLock hold(&mutex);
        guarded++;
    }
    {
        absl::ReaderMutexLock hold(&mutex);
        if (guarded < 0)
            return;
    }
    if (mutex.TryLock()) {
        guarded++;
        mutex.Unlock();
    }
    absl::MutexLock hold(&mutex);
    if (k == 0) {
        ready = true;
        changed.SignalAll();
    }
    while (!ready)
        changed.Wait(&mutex);
}

static void whole(int k)
{
    loud = k;
    worker(k);
}

int main()
{
    std::thread a(whole, 0), b(whole, 1);
    a.join();
    b.join();
    return guarded < 6;
}
