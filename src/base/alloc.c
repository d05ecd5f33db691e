#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t in_use;
static atomic_size_t peak;
static atomic_size_t fail_countdown;

static void default_oom(size_t bytes)
{
    fprintf(stderr, "heddle: out of memory (needed %zu more bytes)\n", bytes);
    exit(4);
}

static hd_oom_hook oom_hook = default_oom;

static void count(size_t bytes)
{
    size_t now = atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed) + bytes;
    size_t high = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > high && !atomic_compare_exchange_weak(&peak, &high, now)) {
    }
}

/* Partner of hd_alloc_fail_at: true when this allocation is the one chosen to fail. */
static int injected_failure(void)
{
    size_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    return left != 0 && atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static void *checked(void *ptr, size_t bytes)
{
    if (!ptr || injected_failure()) {
        oom_hook(bytes);
        abort();
    }
    return ptr;
}

void *hd_alloc(size_t bytes)
{
    void *ptr = checked(malloc(bytes ? bytes : 1), bytes);
    count(bytes);
    return ptr;
}

void *hd_calloc(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size) {
        oom_hook(SIZE_MAX);
        abort();
    }
    void *ptr = checked(calloc(n ? n : 1, size ? size : 1), n * size);
    count(n * size);
    return ptr;
}

void *hd_realloc(void *ptr, size_t old_bytes, size_t new_bytes)
{
    void *moved = checked(realloc(ptr, new_bytes ? new_bytes : 1), new_bytes);
    atomic_fetch_sub_explicit(&in_use, old_bytes, memory_order_relaxed);
    count(new_bytes);
    return moved;
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

void hd_alloc_set_oom_hook(hd_oom_hook hook)
{
    oom_hook = hook ? hook : default_oom;
}

void hd_alloc_fail_at(size_t n)
{
    atomic_store(&fail_countdown, n);
}
