// Locks of a library that is not instrumented: `guarded` and `ready` are kept, `loud` is not.
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

#include <cstdio>
#include <thread>

static absl::Mutex mutex;
static absl::CondVar changed;
static absl::Notification began;
static absl::BlockingCounter left(2);
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
    if (k)
        began.WaitForNotification();
    else
        guarded = 0;
    if (!k)
        began.Notify();
    worker(k);
    left.DecrementCount();
}

int main()
{
    std::thread a(whole, 0), b(whole, 1);
    left.Wait();
    guarded++;
    a.join();
    b.join();
    return guarded < 6;
}
