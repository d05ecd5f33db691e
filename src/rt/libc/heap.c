/* The life of heap blocks. Runs in the user's process; see the rules in rt.h.
 *
 * malloc may be called before libc is ready for anything else, so nothing here starts the runtime.
 * glibc's own names for the allocator are used instead of dlsym, which itself allocates. operator
 * new and delete of libstdc++ arrive here through malloc and free. realloc is a new block, a copy
 * of the old contents and a free: an address that stays the same is another location all the same.
 */
#include "rt/concolic/rt_sym.h"
#include "rt/core/range_log.h"
#include "rt/libc/sync.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

/* A block that no thread has yet. */
static inline __attribute__((always_inline)) struct hd_thread *enter_new(uintptr_t pc)
{
    return HD_LIKELY(hd_rt_ready) ? hd_rt_enter_quiet(pc) : NULL;
}

static inline __attribute__((always_inline)) struct hd_thread *enter(void)
{
    return HD_LIKELY(hd_rt_ready) ? hd_rt_enter() : NULL;
}

/* glibc marks the blocks that a thread keeps for later with a random number, which a program (or a
 * hook of ours) may find in memory that it did not write yet. For runs that can be repeated the
 * number must be the same: it is looked for in glibc's variables, where it stands once. */
struct mark {
    uint64_t value, *at;
    unsigned found;
};

static int look_for_mark(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct mark *m = arg;
    bool here = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        here |= p->p_type == PT_LOAD &&
                (uintptr_t)__libc_malloc - info->dlpi_addr - p->p_vaddr < p->p_memsz;
    }
    for (int i = 0; here && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
            continue;
        uintptr_t from = (info->dlpi_addr + p->p_vaddr + 7) & ~(uintptr_t)7;
        for (uint64_t *w = (void *)from; (uintptr_t)(w + 1) <= from + p->p_memsz - 8; w++)
            if (*w == m->value) {
                m->at = w;
                m->found++;
            }
    }
    return here;
}

void hd_rt_heap_start(void)
{
    uint64_t *block = __libc_malloc(3 * sizeof *block);
    struct mark m = {0};
    if (!block)
        return;
    __libc_free(block);
    m.value = ((volatile uint64_t *)block)[1];
    block = __libc_malloc(3 * sizeof *block); /* the same one, and the mark is wiped off */
    if (m.value >> 32) /* else it is no such number: kept blocks are switched off */
        dl_iterate_phdr(look_for_mark, &m);
    if (m.found == 1)
        *m.at = UINT64_C(0x9e3779b97f4a7c15);
    __libc_free(block);
}

static void born(struct hd_thread *me, const void *p, size_t n, uintptr_t pc)
{
    if (p) {
        hd_rt_log2(HD_LOG_ALLOC, 0, pc, (uintptr_t)p, n);
        if (hd_rt_sym.on)
            hd_rt_sym_clear(p, n); /* of a block that was there before */
        hd_rt_sym_born(p, n);
    }
    hd_rt_leave(me);
}

static inline void *new_block(const struct hd_thread *me, size_t n)
{
    void *p = HD_UNLIKELY(hd_rt_sym.on) && me ? hd_rt_sym_fence(n) : NULL;
    return p ? p : __libc_malloc(n);
}

static inline void end_block(void *p)
{
    if (HD_LIKELY(!hd_rt_sym.on) || !hd_rt_sym_unfence(p))
        __libc_free(p);
}

HD_EXPORT void *malloc(size_t n)
{
    struct hd_thread *me = enter_new(HD_PC);
    void *p = new_block(me, n);
    if (me)
        born(me, p, n, HD_PC);
    return p;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
    struct hd_thread *me = enter_new(HD_PC);
    size_t bytes;
    bool fits = !__builtin_mul_overflow(n, size, &bytes);
    void *p = HD_UNLIKELY(hd_rt_sym.on) && me && fits ? hd_rt_sym_fence(bytes) : NULL;
    p = p ? p : __libc_calloc(n, size);
    if (me)
        born(me, p, n * size, HD_PC);
    return p;
}

HD_EXPORT void free(void *p)
{
    struct hd_thread *me = p ? enter() : NULL;
    if (me) {
        hd_rt_arg_dep(free);
        HD_LOGP(HD_LOG_FREE, HD_PC, p);
        end_block(p);
        hd_rt_leave(me);
    } else {
        end_block(p);
    }
}

size_t hd_rt_block_size(void *p)
{
    size_t size;
    if (HD_UNLIKELY(hd_rt_sym.on) && hd_rt_sym_fenced(p, &size))
        return size;
    return malloc_usable_size(p);
}

/* realloc, of a block that may have pages of its own. */
static void *grow(const struct hd_thread *me, void *p, size_t n)
{
    size_t had;
    if (HD_LIKELY(!hd_rt_sym.on) || !hd_rt_sym_fenced(p, &had))
        return __libc_realloc(p, n);
    char *q = n ? new_block(me, n) : NULL;
    for (size_t i = 0; q && i < had && i < n; i++)
        q[i] = ((const char *)p)[i];
    if (q || !n)
        hd_rt_sym_unfence(p);
    return q;
}

/* The old block is alive until libc has moved it, so its contents are logged before. */
static void *move(struct hd_thread *me, void *p, size_t n, uintptr_t pc)
{
    size_t had = hd_rt_block_size(p), keep = had < n ? had : n;
    hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, pc, p, p, keep);
    uint32_t *ids = hd_rt_sym.on ? hd_rt_sym_lift(p, keep) : NULL;
    void *q = grow(me, p, n);
    if (ids)
        hd_rt_sym_put(q ? q : p, keep, ids);
    if (!q && n)
        return NULL; /* the old block stays */
    HD_LOGP(HD_LOG_FREE, pc, p);
    if (q) {
        hd_rt_sym_born(q, n);
        hd_rt_log2(HD_LOG_ALLOC, 0, pc, (uintptr_t)q, n);
        hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, q, q, keep);
    }
    return q;
}

HD_EXPORT void *realloc(void *p, size_t n)
{
    struct hd_thread *me = enter();
    if (!me)
        return grow(NULL, p, n);
    void *q;
    if (p) {
        q = move(me, p, n, HD_PC);
    } else {
        q = new_block(me, n);
        if (q)
            hd_rt_log2(HD_LOG_ALLOC, 0, HD_PC, (uintptr_t)q, n);
    }
    hd_rt_leave(me);
    return q;
}

HD_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

static void *aligned(size_t align, size_t n, uintptr_t pc)
{
    struct hd_thread *me = enter_new(pc);
    void *p = __libc_memalign(align, n);
    if (me)
        born(me, p, n, pc);
    return p;
}

HD_EXPORT void *memalign(size_t align, size_t n)
{
    return aligned(align, n, HD_PC);
}

HD_EXPORT void *aligned_alloc(size_t align, size_t n)
{
    return aligned(align, n, HD_PC);
}

HD_EXPORT void *valloc(size_t n)
{
    return aligned(4096, n, HD_PC);
}

HD_EXPORT void *pvalloc(size_t n)
{
    return aligned(4096, (n + 4095) & ~(size_t)4095, HD_PC);
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
    struct hd_caller by = HD_BY(posix_memalign, 3);
    if (align % sizeof(void *) || !align || (align & (align - 1)))
        return EINVAL;
    int saved = errno;
    void *p = aligned(align, n, HD_PC);
    errno = saved;
    if (!p)
        return ENOMEM;
    struct hd_thread *me = enter();
    *out = p;
    if (me) {
        hd_rt_depend(me, by);
        hd_rt_wrote(by.pc, out, sizeof *out);
        hd_rt_leave(me);
    }
    return 0;
}
