#include "base/alloc.h"

#include "base/outfile.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_size_t in_use;
static atomic_size_t peak;
static atomic_size_t fail_countdown;
static atomic_size_t limit;

/* Other threads go on meanwhile, so nothing that they use may be taken down: no handlers of exit.
 * The first thread that fails speaks. */
static void default_oom(size_t bytes)
{
    static atomic_flag failed = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&failed))
        pause();
    fprintf(stderr, "heddle: out of memory (needed %zu more bytes", bytes);
    if (hd_alloc_limit())
        fprintf(stderr, "; %zu MB are in use, of %zu", hd_alloc_in_use() >> 20,
                hd_alloc_limit() >> 20);
    fprintf(stderr, ")\n");
    fflush(stdout);
    hd_outfile_discard_all();
    _exit(4);
}

static hd_oom_hook oom_hook = default_oom;

static void count(size_t bytes)
{
    size_t now = atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed) + bytes;
    size_t high = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > high && !atomic_compare_exchange_weak(&peak, &high, now)) {
    }
}

static _Noreturn void out_of_memory(size_t bytes)
{
    oom_hook(bytes);
    abort(); /* a hook that returns breaks its contract */
}

/* Partner of hd_alloc_fail_at. Comes before the real allocation, so that a failed hd_realloc leaves
 * the old block alive, as the real one would. No object may be larger than PTRDIFF_MAX. `more`: by
 * how much the bytes in use grow. */
static void before_alloc(size_t bytes, size_t more)
{
    size_t bound = atomic_load_explicit(&limit, memory_order_relaxed);
    if (bytes > PTRDIFF_MAX)
        out_of_memory(bytes);
    size_t used = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (bound && more && (used >= bound || more > bound - used))
        out_of_memory(more);
    size_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    while (left && !atomic_compare_exchange_weak(&fail_countdown, &left, left - 1)) {
    }
    if (left == 1)
        out_of_memory(bytes);
}

/* Large blocks are columns of traces, filled from one end to the other. On huge pages they cost one
 * page fault in 512, which is otherwise half the time of reading a trace. Only a hint: no check. */
static void *on_huge_pages(void *ptr, size_t bytes)
{
    const uintptr_t page = 4096;
    if (bytes >= (size_t)8 << 20) {
        uintptr_t start = ((uintptr_t)ptr + page - 1) & ~(page - 1);
        uintptr_t end = ((uintptr_t)ptr + bytes) & ~(page - 1);
        madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
    return ptr;
}

void *hd_alloc(size_t bytes)
{
    before_alloc(bytes, bytes);
    void *ptr = malloc(bytes ? bytes : 1);
    if (!ptr)
        out_of_memory(bytes);
    count(bytes);
    return on_huge_pages(ptr, bytes);
}

void *hd_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(SIZE_MAX);
    before_alloc(bytes, bytes);
    void *ptr = calloc(bytes ? bytes : 1, 1);
    if (!ptr)
        out_of_memory(bytes);
    count(bytes);
    return ptr;
}

void *hd_realloc(void *ptr, size_t old_bytes, size_t new_bytes)
{
    before_alloc(new_bytes, new_bytes > old_bytes ? new_bytes - old_bytes : 0);
    void *moved = realloc(ptr, new_bytes ? new_bytes : 1);
    if (!moved)
        out_of_memory(new_bytes);
    if (new_bytes >= old_bytes)
        count(new_bytes - old_bytes);
    else
        atomic_fetch_sub_explicit(&in_use, old_bytes - new_bytes, memory_order_relaxed);
    return new_bytes > old_bytes ? on_huge_pages(moved, new_bytes) : moved;
}

void *hd_realloc_array(void *ptr, size_t old_n, size_t new_n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(new_n, size, &bytes))
        out_of_memory(SIZE_MAX);
    return hd_realloc(ptr, old_n * size, bytes);
}

void hd_free(void *ptr, size_t bytes)
{
    if (!ptr)
        return;
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
    free(ptr);
}

char *hd_strndup(const char *text, size_t len)
{
    char *copy = hd_alloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

size_t hd_alloc_in_use(void)
{
    return atomic_load(&in_use);
}

size_t hd_alloc_peak(void)
{
    return atomic_load(&peak);
}

void hd_alloc_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&in_use));
}

void hd_alloc_set_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}

size_t hd_alloc_limit(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed);
}

void hd_alloc_set_oom_hook(hd_oom_hook hook)
{
    oom_hook = hook ? hook : default_oom;
}

void hd_alloc_fail_at(size_t n)
{
    atomic_store(&fail_countdown, n);
}
