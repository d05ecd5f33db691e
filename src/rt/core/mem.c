/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/rt.h"

#include <sys/mman.h>

#define BLOCK (1u << 20)

void *hd_rt_mem(size_t bytes)
{
    static char *next, *end;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > (size_t)(end - next)) {
        size_t want = bytes > BLOCK ? bytes : BLOCK;
        void *p =
            hd_rt_mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            __builtin_trap(); /* no scheduler state, no run: there is nothing to fall back to */
        next = p;
        end = next + want;
    }
    void *p = next;
    next += bytes;
    return p;
}
