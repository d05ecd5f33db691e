/* Heap blocks of a search over inputs, each at the end of pages of its own, with a page behind that
 * no code may touch; and none may touch them again when they were freed. So an input that makes
 * the program leave a block, or use one that is gone, makes it crash. Runs in the user's process;
 * see the rules in rt.h.
 *
 * A block takes two entries of the kernel's list of mappings, of which there are 65530: the first
 * MOST blocks are kept so, later ones are libc's. The table is written by the holder of the token;
 * a thread that is not ours only looks. */
#include "rt/concolic/rt_sym.h"
#include "rt/core/real.h"
#include "rt/core/sys.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE    4096u
#define MOST    8192u
#define TABLE   (4 * MOST) /* a power of two */
#define LARGEST (1u << 20)
#define ALIGN   16u

struct block {
    uintptr_t start; /* 0: none */
    size_t size;
    uintptr_t pages;
    size_t bytes; /* of the pages, with the last one */
    bool freed;
};
static struct block table[TABLE];
static unsigned used;

static struct block *slot_of(uintptr_t start)
{
    size_t i = (start >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (TABLE - 1);
    while (table[i].start && table[i].start != start)
        i = (i + 1) & (TABLE - 1);
    return &table[i];
}

void *hd_rt_sym_fence(size_t n)
{
    if (!hd_rt_sym.on || n == 0 || n > LARGEST || used >= MOST)
        return NULL;
    size_t room = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t bytes = ((room + PAGE - 1) & ~(size_t)(PAGE - 1)) + PAGE;
    long at = hd_rt_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -(long)PAGE)
        return NULL;
    hd_rt_syscall(SYS_mprotect, at + (long)(bytes - PAGE), PAGE, PROT_NONE, 0, 0, 0);
    uintptr_t start = (uintptr_t)at + bytes - PAGE - room;
    *slot_of(start) = (struct block){start, n, (uintptr_t)at, bytes, false};
    used++;
    return (void *)start;
}

static struct block *find(const void *p)
{
    struct block *b = used && p ? slot_of((uintptr_t)p) : NULL;
    return b && b->start ? b : NULL;
}

bool hd_rt_sym_fenced(const void *p, size_t *size)
{
    const struct block *b = find(p);
    *size = b ? b->size : 0;
    return b != NULL;
}

bool hd_rt_sym_unfence(const void *p)
{
    struct block *b = find(p);
    if (!b)
        return false;
    if (b->freed)
        hd_rt_sym_misuse("double free", 0, 0, b->size, "heap block");
    b->freed = true;
    hd_rt_syscall(SYS_mprotect, (long)b->pages, (long)b->bytes, PROT_NONE, 0, 0, 0);
    hd_rt_syscall(SYS_madvise, (long)b->pages, (long)b->bytes, MADV_DONTNEED, 0, 0, 0);
    return true;
}

/* ---- telling ---- */

static char *put(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *put_number(char *to, int64_t v)
{
    char digits[24];
    unsigned n = 0;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    if (v < 0)
        *to++ = '-';
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (n)
        *to++ = digits[--n];
    return to;
}

void hd_rt_sym_misuse(const char *what, unsigned bytes, int64_t offset, uint64_t size,
                      const char *object)
{
    char line[256], *to = put(line, HD_SYM_MISUSE);
    to = put(to, what);
    if (bytes) {
        to = put(to, " of ");
        to = put_number(to, bytes);
        to = put(to, bytes == 1 ? " byte at offset " : " bytes at offset ");
        to = put_number(to, offset);
    }
    to = put(put(to, " of a "), object);
    to = put(put_number(put(to, " of "), (int64_t)size), " bytes\n");
    hd_rt_syscall(SYS_write, 2, (long)line, to - line, 0, 0, 0);
    abort();
}

/* An access that no expression led to: the pages of a block, or the one behind it. */
void hd_rt_sym_explain(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    for (unsigned i = 0; used && i < TABLE; i++) {
        const struct block *b = &table[i];
        if (b->start && at - b->pages < b->bytes)
            hd_rt_sym_misuse(b->freed ? "use after free" : "out of bounds: access", 0, 0, b->size,
                             "heap block");
    }
}

void hd_rt_sym_on_fault(int sig, siginfo_t *info, void *context)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    (void)context;
    hd_rt_sym_explain(info->si_addr);
    hd_real.sigaction(sig, &plain, NULL); /* it happens again, and the program ends by it */
}

void hd_rt_sym_fence_watch(void)
{
    struct sigaction act = {.sa_sigaction = hd_rt_sym_on_fault, .sa_flags = SA_SIGINFO}, old;
    if (hd_real.sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        hd_real.sigaction(SIGSEGV, &act, NULL);
}
