/* The life of heap blocks. Runs in the user's process; see the rules in rt.h.
 *
 * malloc may be called before libc is ready for anything else, so nothing here starts the runtime.
 * glibc's own names for the allocator are used instead of dlsym, which itself allocates. operator
 * new and delete of libstdc++ arrive here through malloc and free. realloc is a new block, a copy
 * of the old contents and a free: an address that stays the same is another location all the same.
 */
#include "rt/sym.h"
#include "rt/blocks.h"
#include "rt/sync.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

static inline __attribute__((always_inline)) struct hd_thread *enter(void)
{
    return HD_LIKELY(hd_rt_ready) ? hd_rt_enter() : NULL;
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

HD_EXPORT void *malloc(size_t n)
{
    struct hd_thread *me = enter();
    void *p = __libc_malloc(n);
    if (me)
        born(me, p, n, HD_PC);
    return p;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
    struct hd_thread *me = enter();
    void *p = __libc_calloc(n, size);
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
        __libc_free(p);
        hd_rt_leave(me);
    } else {
        __libc_free(p);
    }
}

/* The old block is alive until libc has moved it, so its contents are logged before. */
static void *move(struct hd_thread *me, void *p, size_t n, uintptr_t pc)
{
    size_t had = malloc_usable_size(p), keep = had < n ? had : n;
    hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, pc, p, p, keep);
    uint32_t *ids = hd_rt_sym.on ? hd_rt_sym_lift(p, keep) : NULL;
    void *q = __libc_realloc(p, n);
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
    (void)me;
    return q;
}

HD_EXPORT void *realloc(void *p, size_t n)
{
    struct hd_thread *me = enter();
    if (!me)
        return __libc_realloc(p, n);
    void *q;
    if (p) {
        q = move(me, p, n, HD_PC);
    } else {
        q = __libc_malloc(n);
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
    struct hd_thread *me = enter();
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
        hd_rt_wrote(HD_PC, out, sizeof *out);
        hd_rt_leave(me);
    }
    return 0;
}
