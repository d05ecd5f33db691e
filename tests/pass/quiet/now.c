/* What is read once and written often. A range of dependences may end now instead of with its last
 * read, as long as the thread has not read since: `loud2` and `loud3` do not depend on `told`. */
#include <pthread.h>
#include <sched.h>

enum { N = 40 };
int shared[N], told[N], source[N], quiet[N], loud2[N], loud3[N];
volatile int mid[4], sink;

static void *other(void *arg)
{
    for (int i = 0; i < N; i++) {
        quiet[i] = 7;
        shared[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        loud2[i] = loud3[i] = 7;
        told[i] = 1;
    }
    return arg;
}

__attribute__((noinline)) static int put(const int *from, const int *between, int k)
{
    int x = *from;
    mid[0] = x;
    mid[1] = x;
    if (k)
        sink = *between;
    mid[2] = x;
    mid[3] = x;
    return x;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 4 * N; i++)
        sched_yield();
    for (int i = 0; i < N; i++) {
        put(&shared[i], &source[i], i & 4);
        if (mid[i & 3] == 1)
            quiet[i] = 8;
    }
    for (int i = 0; i < N; i++) {
        put(&source[i], &told[i], i & 4);
        if (i & 1 && mid[2] == 0)
            loud2[i] = 8;
        else if (mid[3] == 0)
            loud3[i] = 8;
    }
    pthread_join(t, NULL);
    return 0;
}
