/* What is read once and written often. A range of dependences may end now instead of with its last
 * read, as long as the thread has not read since: `loud0` and `loud1` do not depend on `told`. */
#include <pthread.h>
#include <sched.h>

enum { N = 64 };
int shared[N], told[N], source[N], quiet[N], loud0[N], loud1[N];
volatile int mid[4];

static void *other(void *arg)
{
    for (int i = 0; i < N; i++) {
        quiet[i] = 7;
        shared[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        loud0[i] = loud1[i] = 7;
        told[i] = 1;
    }
    return arg;
}

/* What is written depends on both reads, mostly, which is what the next ones are guessed to. */
__attribute__((noinline)) static void put(const int *from, const int *next, int both)
{
    int x = *from, y = *(const volatile int *)next;
    if (both) {
        __asm__ volatile(""); /* a branch, not a choice of values */
        x += y;
    }
    mid[0] = x;
    mid[1] = x;
    mid[2] = x;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 4 * N; i++)
        sched_yield();
    for (int i = 0; i < N; i++) {
        if (i & 1)
            put(&source[i], &shared[i], 1);
        else
            put(&shared[i], &source[i], i & 2);
        if (mid[i % 3] == 1)
            quiet[i] = 8;
    }
    for (int i = 0; i < N; i++) { /* of two reads, one is where it was guessed to be */
        int k = i * (i + 1) / 2 % N, half = i < N / 2;
        put(&source[half ? i : k], &told[half ? k : i], i % 8 < 7);
        if (i % 8 == 7 && mid[0] == 0)
            *(half ? &loud0[k] : &loud1[i]) = 8;
    }
    pthread_join(t, NULL);
    return 0;
}
