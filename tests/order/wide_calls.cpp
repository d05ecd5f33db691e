/* Calls of libatomic and their results, one line for each. */
#include <atomic>
#include <cstdint>
#include <cstdio>

struct pair {
    void *first;
    unsigned long second;
};
typedef unsigned __int128 wide;
static std::atomic<pair> both;
static pair plain;
static wide number;
static char bytes[40];

static void line(wide n)
{
    printf("%lx %lx\n", (unsigned long)(n >> 64), (unsigned long)n);
}

int main(int argc, char **)
{
    pair e{nullptr, 0}, n{(void *)8, 1};
    line(both.compare_exchange_strong(e, n, std::memory_order_acq_rel, std::memory_order_acquire));
    line(both.compare_exchange_strong(e, n));
    line(e.second);
    line(both.load(std::memory_order_acquire).second);
    both.store(pair{(void *)5, 7}, std::memory_order_release);
    line(both.exchange(pair{(void *)9, 11}).second);
    line(both.load(std::memory_order_relaxed).second);
    line(__atomic_fetch_add(&number, ((wide)5 << 64) | 3, __ATOMIC_RELAXED));
    line(__atomic_add_fetch(&number, 4, __ATOMIC_SEQ_CST));
    line(__atomic_fetch_nand(&number, 3, __ATOMIC_RELAXED));
    line(__atomic_sub_fetch(&number, 1, __ATOMIC_ACQ_REL));
    line(__atomic_fetch_or(&number, (wide)6 << 60, __ATOMIC_ACQ_REL));
    line(__atomic_and_fetch(&number, ~(wide)1, __ATOMIC_RELEASE));
    line(__atomic_xor_fetch(&number, (wide)argc << 64 | 9, __ATOMIC_SEQ_CST));
    uint64_t v = 77, o = 0; /* not aligned */
    __atomic_store((uint64_t *)(bytes + 3), &v, __ATOMIC_RELEASE);
    __atomic_load((uint64_t *)(bytes + 3), &o, argc == 1 ? __ATOMIC_ACQUIRE : __ATOMIC_SEQ_CST);
    line(o);
    pair expected{nullptr, 3}, wanted{nullptr, 4};
    line(__atomic_compare_exchange(&plain, &expected, &wanted, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_RELAXED));
    line(expected.second);
    line(__atomic_compare_exchange(&plain, &expected, &wanted, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_RELAXED));
    line(plain.second);
    return 0;
}
