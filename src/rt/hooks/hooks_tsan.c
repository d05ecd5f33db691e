/* Entry points of code compiled with -fsanitize=thread: plain accesses. Runs in the user's process;
 * see the rules in rt.h.
 *
 * The hook of a write comes before the store and does not get the value. It is read at the
 * thread's next entry into the runtime, before another thread can run, so it is exact unless code
 * without hooks changed the same memory in between (the driver finds that out).
 *
 * clang leaves out the hook of a read when a write to the same place follows (x++). The written
 * value then depends on a read that is not reported to us, so every write logs the old value as
 * read, unless the thread's last hook was that read. Ranges longer than INIT_MAX are stores of
 * whole blocks. */
#include "rt/hooks/hook_access.h"
#include "rt/core/range_log.h"
#include "rt/core/modules.h"

#define INIT_MAX 64
#define HOOK     HD_EXPORT __attribute__((noinline))

static inline __attribute__((always_inline)) void on_read(uintptr_t pc, void *p, unsigned size)
{
    struct hd_thread *me = hd_rt_enter_at(p, size, pc);
    if (!me)
        return;
    hd_rt_read(pc, p, size);
    me->last_read = p;
    hd_rt_leave(me);
}

static inline __attribute__((always_inline)) void on_write(uintptr_t pc, void *p, unsigned size)
{
    struct hd_thread *me = hd_rt_enter_at(p, size, pc);
    if (!me)
        return;
    if (me->last_read != p) {
        uint64_t w[2] = {(uintptr_t)p, hd_rt_load(p, size)};
        hd_rt_put(pc, HD_SHAPE(HD_LOG_READ, size) | HD_SHAPE_GUESS, w, HD_TOK_NONE, HD_TOK_NONE);
    }
    me->last_read = NULL;
    hd_rt_write_later(me, HD_LOG_WRITE, pc, p, size);
    hd_rt_leave(me);
}

static void on_range(uintptr_t pc, void *p, size_t size, bool write)
{
    struct hd_thread *me = hd_rt_enter_at(p, size, pc);
    if (!me)
        return;
    if (!write || size <= INIT_MAX)
        hd_rt_log_bytes(HD_LOG_RANGE_READ, write ? HD_LOG_PENDING : 0, pc, p, p, size);
    if (write)
        hd_rt_range_later(me, pc, p, size);
    hd_rt_leave(me);
}

#define HOOKS(size)                                                                                \
    HOOK void __tsan_read##size(void *p);                                                          \
    HOOK void __tsan_write##size(void *p);                                                         \
    HOOK void __tsan_read##size##_pc(void *p, void *pc);                                           \
    HOOK void __tsan_write##size##_pc(void *p, void *pc);                                          \
    HOOK void __tsan_unaligned_read##size(void *p);                                                \
    HOOK void __tsan_unaligned_write##size(void *p);                                               \
    HOOK void __tsan_volatile_read##size(void *p);                                                 \
    HOOK void __tsan_volatile_write##size(void *p);                                                \
    HOOK void __tsan_unaligned_volatile_read##size(void *p);                                       \
    HOOK void __tsan_unaligned_volatile_write##size(void *p);                                      \
    HOOK void __tsan_read_write##size(void *p);                                                    \
    HOOK void __tsan_unaligned_read_write##size(void *p);                                          \
    HOOK void __tsan_read##size(void *p)                                                           \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
    }                                                                                              \
    HOOK void __tsan_write##size(void *p)                                                          \
    {                                                                                              \
        on_write(HD_PC, p, size);                                                                  \
    }                                                                                              \
    HOOK void __tsan_read##size##_pc(void *p, void *pc)                                            \
    {                                                                                              \
        on_read((uintptr_t)pc, p, size);                                                           \
    }                                                                                              \
    HOOK void __tsan_write##size##_pc(void *p, void *pc)                                           \
    {                                                                                              \
        on_write((uintptr_t)pc, p, size);                                                          \
    }                                                                                              \
    HOOK void __tsan_unaligned_read##size(void *p)                                                 \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
    }                                                                                              \
    HOOK void __tsan_unaligned_write##size(void *p)                                                \
    {                                                                                              \
        on_write(HD_PC, p, size);                                                                  \
    }                                                                                              \
    HOOK void __tsan_volatile_read##size(void *p)                                                  \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
    }                                                                                              \
    HOOK void __tsan_volatile_write##size(void *p)                                                 \
    {                                                                                              \
        on_write(HD_PC, p, size);                                                                  \
    }                                                                                              \
    HOOK void __tsan_unaligned_volatile_read##size(void *p)                                        \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
    }                                                                                              \
    HOOK void __tsan_unaligned_volatile_write##size(void *p)                                       \
    {                                                                                              \
        on_write(HD_PC, p, size);                                                                  \
    }                                                                                              \
    HOOK void __tsan_read_write##size(void *p)                                                     \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
        on_write(HD_PC, p, size);                                                                  \
    }                                                                                              \
    HOOK void __tsan_unaligned_read_write##size(void *p)                                           \
    {                                                                                              \
        on_read(HD_PC, p, size);                                                                   \
        on_write(HD_PC, p, size);                                                                  \
    }

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)

#define RANGE_HOOK(name, write)                                                                    \
    HOOK void __tsan_##name(void *p);                                                              \
    HOOK void __tsan_##name(void *p)                                                               \
    {                                                                                              \
        on_range(HD_PC, p, 16, write);                                                             \
    }
RANGE_HOOK(read16, false)
RANGE_HOOK(write16, true)
RANGE_HOOK(unaligned_read16, false)
RANGE_HOOK(unaligned_write16, true)
RANGE_HOOK(volatile_read16, false)
RANGE_HOOK(volatile_write16, true)

HOOK void __tsan_read_range(void *p, unsigned long size);
HOOK void __tsan_write_range(void *p, unsigned long size);
HOOK void __tsan_vptr_read(void **p);
HOOK void __tsan_vptr_update(void **p, void *value);
HOOK void __tsan_func_entry(void *pc);
HOOK void __tsan_func_exit(void);
HOOK void __tsan_init(void);
HOOK void __tsan_ignore_thread_begin(void);
HOOK void __tsan_ignore_thread_end(void);

HOOK void __tsan_read_range(void *p, unsigned long size)
{
    on_range(HD_PC, p, size, false);
}

HOOK void __tsan_write_range(void *p, unsigned long size)
{
    on_range(HD_PC, p, size, true);
}

HOOK void __tsan_vptr_read(void **p)
{
    on_read(HD_PC, p, sizeof *p);
}

/* A constructor that writes the same table again changes nothing that another thread could see. */
HOOK void __tsan_vptr_update(void **p, void *value)
{
    if (*p != value)
        on_write(HD_PC, p, sizeof *p);
}

HOOK void __tsan_func_entry(void *pc)
{
    (void)pc;
}

HOOK void __tsan_func_exit(void)
{
}

HOOK void __tsan_init(void)
{
    static char name[] = "__tsan_init";
    hd_rt_log_instrumented();
    if (!hd_rt_module_has(HD_PC))
        hd_rt_module_calls(name);
    hd_rt_init();
}

HOOK void __tsan_ignore_thread_begin(void)
{
}

HOOK void __tsan_ignore_thread_end(void)
{
}
