/* A branch on a read that another one depended on long ago. The recorded run, where all is as
 * guessed after some rounds, and the replay, where nothing is, must agree whether that is known. */
#include <pthread.h>

static volatile int x = 1, out[300];
static int y;

/* Each is called from one place, so that what it is told is always the same. */
#define LOOK(name)                                                                                 \
    __attribute__((noinline)) static void name(int v)                                              \
    {                                                                                              \
        if (v)                                                                                     \
            out[0] = 1;                                                                            \
    }
LOOK(first)
LOOK(second)
LOOK(third)
LOOK(again)

static void *worker(void *arg)
{
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 300; k++)
            out[k] = k;
        first(x);
        int v = x + x;
        second(v);
        for (int k = 0; k < 100; k++)
            out[k] = k;
        third(x);
        again(v);
    }
    y++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    y++;
    pthread_join(t, NULL);
    return 0;
}
