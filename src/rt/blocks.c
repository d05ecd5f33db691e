/* Runs in the user's process; see the rules in rt.h. */
#include "rt/blocks.h"

typedef uint64_t __attribute__((aligned(1), may_alias)) word;

/* rep movsb has a start-up cost of some 30 cycles, which short copies feel. */
static bool move_short(void *to, const void *from, size_t n)
{
    word a, b;
    if (n == 8) {
        *(word *)to = *(const word *)from;
    } else if (n > 8 && n <= 16) {
        a = *(const word *)from;
        b = *(const word *)((const char *)from + n - 8);
        *(word *)to = a;
        *(word *)((char *)to + n - 8) = b;
    } else {
        return false;
    }
    return true;
}

void *hd_rt_memmove(void *to, const void *from, size_t n)
{
    void *d = to;
    const void *s = from;
    if (move_short(to, from, n))
        return to;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    } else {
        d = (char *)to + n - 1;
        s = (const char *)from + n - 1;
        __asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(d), "+S"(s), "+c"(n) : : "memory", "cc");
    }
    return to;
}

void *hd_rt_memset(void *to, int byte, size_t n)
{
    void *d = to;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
    return to;
}

/* A long range is cut so that each record fits easily into a chunk. */
#define RANGE_MAX (HD_LOG_CHUNK / 4)

void hd_rt_log_bytes(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n)
{
    const char *from = bytes;
    uintptr_t at = (uintptr_t)p;
    bool hook = aux & (HD_LOG_SITE | HD_LOG_PENDING);
    while (n) {
        size_t part = n < RANGE_MAX ? n : RANGE_MAX, words = (part + 7) / 8;
        uint64_t *w = hd_rt_log_room(3 + words);
        w[1] = at;
        w[2] = part;
        w[2 + words] = 0;
        hd_rt_memmove(w + 3, from, part);
        hd_rt_log_head(w, kind, aux | (hook ? 0 : hd_rt_joined()), pc);
        at += part;
        from += part;
        n -= part;
    }
}
