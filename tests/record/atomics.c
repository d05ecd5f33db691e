/* Atomics of all sizes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic uint8_t a8;
static _Atomic uint16_t a16;
static _Atomic uint32_t a32;
static _Atomic uint64_t a64;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *work(void *arg)
{
    (void)arg;
    atomic_fetch_add(&a8, 1);
    atomic_fetch_sub_explicit(&a16, 1, memory_order_relaxed);
    atomic_fetch_or(&a32, 6);
    atomic_fetch_and(&a32, 2);
    atomic_fetch_xor(&a32, 1);
    atomic_exchange(&a64, 9);
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t want = 1;
    atomic_compare_exchange_strong(&a64, &want, 5);
    atomic_compare_exchange_strong(&a64, &want, 6);
    atomic_flag_test_and_set(&flag);
    atomic_store_explicit(&a8, atomic_load_explicit(&a8, memory_order_acquire) + 1,
                          memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%d %d %d %d %d\n", a8, a16, a32, (int)a64, atomic_flag_test_and_set(&flag));
    return 0;
}
