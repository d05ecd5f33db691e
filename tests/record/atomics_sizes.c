/* Atomic objects of 1 to 8 bytes, all operations, fences, and a flag as a lock. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned char a1;
static _Atomic unsigned short a2;
static _Atomic unsigned a4;
static _Atomic unsigned long a8;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int guarded, published;
static atomic_int ready;

static void *work(void *arg)
{
    atomic_fetch_add(&a1, 3);
    atomic_fetch_sub_explicit(&a2, 1, memory_order_relaxed);
    atomic_fetch_or(&a4, 12u);
    atomic_fetch_xor_explicit(&a8, 5, memory_order_acq_rel);
    atomic_exchange(&a4, atomic_load(&a4) & 8u);
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        sched_yield(); /* a spinning thread keeps the token for a million steps */
    guarded++;
    atomic_flag_clear_explicit(&flag, memory_order_release);
    return arg;
}

static void *publishes(void *arg)
{
    published = 9;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    unsigned long want = 10;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_create(&t[2], NULL, publishes, NULL);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        sched_yield();
    printf("published %d\n", published);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("cas %d\n", atomic_compare_exchange_strong(&a8, &want, 77));
    printf("%d %d %u %lu %lu guarded %d\n", a1, a2, a4, a8, want, guarded);
    return 0;
}
