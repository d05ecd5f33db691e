/* Values that go round in a loop, stored in each round, and values joined with a later read: all of
 * them depend on `shared`. Those of `loud0` and so on do not, though the thread reads `told` in
 * between. */
#include <pthread.h>
#include <sched.h>

enum { N = 24 };
int shared[N], told[N], source[N + 8], quiet[N], loud0[N], loud1[N], loud2[N];
volatile int mid[4];

/* One range, from the first read to the last one of the loop. */
__attribute__((noinline)) static void add(const int *first, const int *more, int n)
{
    int sum = *first;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        sum += more[i];
        mid[i & 1] = sum;
    }
}

/* The token of the start, in every round. */
__attribute__((noinline)) static void count(int from, int n)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = from; i < from + n; i++)
        mid[i & 1] = i;
}

/* More tokens than a set holds; the last read is the last to be made, the first one counts. */
__attribute__((noinline)) static int join(const int *first, const int *more)
{
    int x = *first, a = more[0], b = more[1], c = more[2], d = more[3];
    mid[2] = 0;
    int e = more[4], f = more[5];
    return x + a + b + c + d + e + f;
}

static void *other(void *arg)
{
    for (int i = 0; i < N; i++) {
        quiet[i] = 7;
        shared[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        loud0[i] = loud1[i] = loud2[i] = 7;
        told[i] = 1;
    }
    return arg;
}

static void depends(int i)
{
    switch (i % 3) {
    case 0:
        add(&shared[i], &source[i], 3);
        break;
    case 1:
        count(shared[i], 2);
        mid[0] += mid[1] - 2;
        break;
    default:
        mid[0] = join(&shared[i], &source[i]);
        break;
    }
    if (mid[0] == 1)
        quiet[i] = 8;
}

static void depends_not(int i)
{
    static volatile int sink;
    switch (i % 3) {
    case 0:
        sink = told[i];
        add(&source[i], &source[i], 3);
        if (mid[0] == 0)
            loud0[i] = 8;
        break;
    case 1:
        count(source[i], 2);
        sink = told[i];
        mid[0] += mid[1] - 1;
        if (mid[0] == 0)
            loud1[i] = 8;
        break;
    default:
        sink = told[i];
        mid[0] = join(&source[i], &source[i]);
        if (mid[0] == 0)
            loud2[i] = 8;
        break;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 4 * N; i++)
        sched_yield();
    for (int i = 0; i < N; i++)
        depends(i);
    for (int i = 0; i < N; i++)
        depends_not(i);
    pthread_join(t, NULL);
    return 0;
}
