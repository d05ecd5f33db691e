/* A branch whose first token is none, among branches of the same place on reads. It settles
 * nothing: the read of `shared` decides whether data is written. */
#include <pthread.h>
#include <sched.h>

int source[4000], shared[4000], sink, quiet[4000];

__attribute__((noinline)) static void look(int x, int y)
{
    if (x + y > 50000)
        sink = 1;
}

__attribute__((noinline)) static int get(int i)
{
    return shared[i];
}

static void *other(void *arg)
{
    for (int i = 0; i < 300; i++) {
        quiet[i] = 7;
        shared[i] = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 400; i++)
        sched_yield();
    for (int i = 0; i < 300; i++) {
        look(i, get(i + 2000));
        for (int k = 0; k < 4; k++)
            look(source[i + k], i);
        int r = get(i);
        look(i, i);
        if (r)
            quiet[i] = 8;
    }
    pthread_join(t, NULL);
    return 0;
}
