/* Values that go round in a loop, stored in each round, and values joined from many reads: all of
 * them depend on `shared`. Those of `loud0` and so on do not, though the thread reads `told` in
 * between. */
#include <pthread.h>
#include <sched.h>

enum { WAYS = 9, N = 4 * WAYS };
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

/* More tokens than a set holds. Whichever is read last, all of them count. */
__attribute__((noinline)) static int join(const int *a, const int *b, const int *c, const int *d,
                                          const int *e, const int *f)
{
    int x = *a + *b + *c;
    mid[2] = 0;
    x += *d;
    mid[2] = 1;
    return *e + x + *f;
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

static int join_at(int k, const int *one, const int *rest)
{
    return join(k == 0 ? one : rest, k == 1 ? one : rest, k == 2 ? one : rest, k == 3 ? one : rest,
                k == 4 ? one : rest, k == 5 ? one : rest);
}

static void depends(int i)
{
    switch (i % WAYS) {
    case 0:
        add(&shared[i], &source[i], 3);
        break;
    case 1:
        add(&source[i], &shared[i], 1);
        break;
    case 2:
        count(shared[i], 2);
        mid[0] += mid[1] - 2;
        break;
    default:
        mid[0] = join_at(i % WAYS - 3, &shared[i], &source[i]);
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
        mid[0] = join_at(i % 6, &source[i], &source[i]);
        if (mid[0] == 0)
            loud2[i] = 8;
        break;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 5 * N; i++)
        sched_yield();
    for (int i = 0; i < N; i++)
        depends(i);
    for (int i = 0; i < N; i++)
        depends_not(i);
    pthread_join(t, NULL);
    return 0;
}
