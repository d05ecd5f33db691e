/* One word accessed as a whole and by halves, always atomically: cells split it, a lock keeps it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static union {
    uint64_t whole;
    uint32_t half[2];
} word;

static void *low(void *arg)
{
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&word.half[0], 1, __ATOMIC_SEQ_CST);
    return arg;
}

static void *both(void *arg)
{
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&word.whole, UINT64_C(1) << 32 | 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, low, NULL);
    pthread_create(&t[1], NULL, both, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%u %u\n", word.half[0], __atomic_load_n(&word.half[1], __ATOMIC_SEQ_CST));
    return 0;
}
