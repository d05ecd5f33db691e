/* 16-byte atomics: a version and a pointer that change together. needs: -mcx16 */
#include <pthread.h>
#include <stdio.h>

typedef unsigned __int128 wide;
static wide word;
static int sum;

static wide get(void)
{
    return __sync_val_compare_and_swap(&word, 0, 0);
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        wide old, now;
        do {
            old = get();
            now = old + (((wide)1 << 64) | 2);
        } while (!__sync_bool_compare_and_swap(&word, old, now));
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    sum = (int)(get() >> 64) * 100 + (int)get();
    printf("sum %d\n", sum);
    return 0;
}
