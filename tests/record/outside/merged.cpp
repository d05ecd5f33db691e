/* writer writes x by code without hooks, in a call that can throw and behind which two ways of the
 * function meet. reader is in such code afterwards, and finds the value. Which of the two wrote it
 * is not known; it must not be laid to reader, whose write would race with early. */
#include <pthread.h>
#include <unistd.h>

extern "C" void poke(int *p, int v);

static int x, elsewhere, seen;
static volatile int yes = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct guard {
    guard()
    {
        pthread_mutex_lock(&lock);
    }
    ~guard()
    {
        pthread_mutex_unlock(&lock);
    }
};

static void *writer(void *)
{
    guard held;
    if (yes)
        poke(&x, 5);
    return nullptr;
}

static void *reader(void *)
{
    usleep(1000);
    guard held;
    poke(&elsewhere, 1);
    seen = x;
    return nullptr;
}

static void *early(void *)
{
    return x == 0 ? &x : nullptr;
}

int main()
{
    x = 1;
    pthread_t threads[3];
    pthread_create(&threads[0], nullptr, writer, nullptr);
    pthread_create(&threads[1], nullptr, reader, nullptr);
    usleep(5000);
    pthread_create(&threads[2], nullptr, early, nullptr);
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    return seen != 5;
}
