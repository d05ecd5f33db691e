/* One program for each condition under which walks pass over records of vectors and extra tokens,
 * and memory beside what was used ("Calm memory" of docs/algorithms/building.md), -DRULE=N: an
 * answer would change if the condition were not asked for. 1: the middle of a vector holds what
 * depends on another thread, its ends do not; 2: an extra token names a read of what another thread
 * wrote; 3: blocks of the thread's own lie beside some that are shared; 4: what was read without
 * the lock is kept beside memory that holds nothing of the kind; 5: a vector that another thread
 * uses without an order, and numbers across two granules; 6: code without hooks (OUTSIDE of
 * sole_rules.c) writes a part of a vector; 7: a block is freed that another thread may use. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef long wide __attribute__((vector_size(64), aligned(64)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long given;
#if RULE == 4
static _Atomic long common;
#else
static volatile long common;
#endif
#define BLOCKS 8
static volatile long *own[BLOCKS], *shared[BLOCKS];

struct __attribute__((packed)) crooked {
    char first[4];
    volatile long number;
};
static wide vector;
static struct crooked crooked;

void poke(volatile int *at);

static void *use(void *arg)
{
    common = 1;
    pthread_mutex_lock(&lock);
    given = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < BLOCKS && shared[i]; i++)
        shared[i][0] = 1;
#if RULE == 7
    for (int i = 0; i < 50; i++)
        sched_yield(); /* the block is written when this thread has begun */
    common = own[0][0];
#elif RULE == 6
    poke((volatile int *)&vector + 6);
#elif RULE == 5
    for (int i = 0; i < 4; i++) {
        *(volatile wide *)&vector = (wide){i};
        crooked.number = i;
    }
#endif
    return arg;
}

static long take(void)
{
    pthread_mutex_lock(&lock);
    long is = given;
    pthread_mutex_unlock(&lock);
    return is;
}

/* From the second round on calm memory is passed over. */
static void wait(int round)
{
    for (int k = 0; round == 7 && k < 100; k++)
        sched_yield(); /* the other thread runs to its end, which is no order */
}

#if RULE == 1
static void work(void)
{
    volatile wide *all = &vector;
    for (int i = 0; i < 8; i++) {
        wait(i);
        ((volatile long *)all)[4] = take();
        ((volatile long *)all)[0] = i;
        ((volatile long *)all)[7] = i;
        if ((*all)[4] == 1)
            common = 2;
    }
}
#elif RULE == 2
static volatile long near[64], sum;

static void work(void)
{
    for (int i = 0; i < 8; i++) {
        wait(i);
        long is = take();
        for (int k = 0; k < 64; k++)
            near[k] = near[k] + 1;
        long a = near[3];
        for (int k = 0; k < 64; k++)
            near[k] = near[k] + 1;
        sum = is * near[5] + a;
        if (sum - a)
            common = 2;
    }
}
#elif RULE == 3
static void work(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        wait(i);
        own[i][0] = i;
        own[i][1] = own[i][0];
    }
    for (int i = 0; i < BLOCKS; i++)
        shared[i][0] = shared[i][1] = 2;
}
#elif RULE == 7
static void work(void)
{
    for (int i = 0; i < 10; i++)
        sched_yield();
    own[0][0] = 1;
    wait(7);
    free((void *)own[0]);
}
#elif RULE == 6
static void work(void)
{
    volatile wide *all = &vector;
    *all = (wide){0};
    for (int i = 0; i < 8; i++) {
        wait(i);
        if ((*all)[3] == 5)
            common = 2;
    }
}
#elif RULE == 5
static void work(void)
{
    for (int i = 0; i < 8; i++) {
        wait(i);
        *(volatile wide *)&vector = (wide){i};
        crooked.number = i;
    }
}
#else
static volatile long beside[2];

static void work(void)
{
    for (int i = 0; i < 8; i++) {
        wait(i);
        beside[1] = given;
        beside[0] = i;
        if (beside[1] == 1)
            common = 2;
    }
}
#endif

int main(void)
{
    pthread_t t;
#if RULE == 7
    own[0] = malloc(16);
#elif RULE == 3
    for (int i = 0; i < BLOCKS; i++) {
        own[i] = malloc(16);
        shared[i] = malloc(16);
    }
#endif
    pthread_create(&t, NULL, use, NULL);
    work();
    pthread_join(t, NULL);
    return 0;
}
