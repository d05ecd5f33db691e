/* An atomic access of 16 bytes is several events; its address has two sources, and what follows
 * relies on both. needs: -mcx16 */
#include <pthread.h>
#include <sched.h>

typedef unsigned __int128 wide;
wide table[4], *volatile start = table;
int chosen, quiet[4], seen;

static void *other(void *arg)
{
    quiet[1] = 7;
    __atomic_store_n(&chosen, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 50; i++)
        sched_yield();
    int i = __atomic_load_n(&chosen, __ATOMIC_SEQ_CST);
    wide *from = start, expected = 0;
    __atomic_compare_exchange_n(&from[i], &expected, (wide)1, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    seen = quiet[i];
    pthread_join(t, NULL);
    return 0;
}
