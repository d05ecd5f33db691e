/* What leaves its block without what is decided there: over a phi, a local, an argument, a return.
 * What was decided on another way only is not left out, nor what came after. */
#include <pthread.h>
#include <sched.h>

enum { WAYS = 11, N = 4 * WAYS };
int shared[N], quiet[N], sink;
int never;
volatile int mid, always = 1;

/* A branch on r on the way that is not taken. */
__attribute__((noinline)) static int over_phi(int r, int way)
{
    int x;
    if (way) {
        if (r > 100)
            sink = 1;
        x = r;
    } else {
        x = r * always;
    }
    return x;
}

/* The branch comes later, and is of every way: it says nothing about what is used before. */
__attribute__((noinline)) static void used_before(int i, int way)
{
    int r = shared[i], x = r;
    if (way) {
        sink = 1;
        x = 3;
    }
    mid = x;
    if (mid == 1)
        quiet[i] = 8;
    if (r > 100)
        sink = 1;
}

/* The next round gets what was decided in this one and what was read in it. */
__attribute__((noinline)) static int over_rounds(const int *first, const int *last, int n)
{
    int x = *first, y = 0;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        if (x > 100)
            sink = 1;
        y = x;
        x = *last;
    }
    return x + y * 0;
}

__attribute__((noinline)) static int local(int i, int way)
{
    volatile int x = shared[i], parts[2];
    if (way && x > 100)
        sink = 1;
    parts[x & 1] = x;
    parts[0] = x;
    return parts[0];
}

__attribute__((noinline)) static int same(int x)
{
    return x;
}

__attribute__((noinline)) static int argument(int i, int way)
{
    int r = shared[i];
    if (way && same(r) > 100)
        sink = 1;
    return same(r);
}

__attribute__((noinline)) static int early(int i, int way)
{
    int r = shared[i];
    if (way) {
        if (r > 100)
            return 3;
        return r;
    }
    return r;
}

static void *other(void *arg)
{
    for (int i = 0; i < N; i++) {
        quiet[i] = 7;
        shared[i] = 1;
    }
    return arg;
}

static int depends(int i, int way)
{
    switch (way) {
    case 0:
        return over_phi(shared[i], never);
    case 1:
        return over_rounds(&never, &shared[i], 1);
    case 2:
        return local(i, never);
    case 3:
        return argument(i, never);
    default:
        return early(i, never);
    }
}

/* Each element once: whoever has seen it knows that `quiet` was written. */
static void touch(int i)
{
    int way = i % WAYS;
    if (way == 10) {
        used_before(i, never);
    } else if (way < 5) {
        mid = depends(i, way);
        if (mid == 1)
            quiet[i] = 8;
    } else if (depends(i, way - 5) == 1) {
        quiet[i] = 8;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 4 * N; i++)
        sched_yield();
    for (int i = 0; i < N; i++)
        touch(i);
    pthread_join(t, NULL);
    return 0;
}
