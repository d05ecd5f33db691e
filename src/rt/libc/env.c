/* The environment, and sorting. Runs in the user's process; see the rules in rt.h.
 *
 * libc guards changes of the environment with a lock, and getenv with nothing: so they are writes
 * under a lock and reads without one, of the variable `environ`. */
#include "rt/core/range_log.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/concolic/rt_sym.h"
#include "rt/libc/sync.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

HD_EXPORT char *getenv(const char *name)
{
    bool ours = rt.on && hd_rt_module_has(HD_PC);
    struct hd_thread *me = ours ? hd_rt_enter() : NULL;
    if (ours && rt.header)
        hd_env_note(&rt.header->env_read, hd_env_hash(name, strlen(name)));
    if (me) {
        hd_rt_arg_dep(getenv);
        hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, HD_PC, &environ, &environ, sizeof environ);
    }
    char *value = hd_rt_getenv(name);
    if (me)
        hd_rt_leave(me);
    return value;
}

/* It has no memory of its own: what stands at its address is what it guards. */
#define LOCK (void *)(uintptr_t)HD_PSEUDO(HD_PSEUDO_ANNOTATED, (uintptr_t)&environ)

#define CHANGES(name, params, args)                                                                \
    HD_EXPORT int name params                                                                      \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        struct hd_sync *l = hd_rt_sync(LOCK, HD_SYNC_LOCK);                                        \
        hd_rt_lock_acquire(me, l, HD_NEVER, HD_PC);                                                \
        int r = hd_real.name args;                                                                 \
        hd_rt_wrote(HD_PC, &environ, sizeof environ);                                              \
        hd_rt_lock_release(me, l, HD_PC);                                                          \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

CHANGES(setenv, (const char *name, const char *value, int replace), (name, value, replace))
CHANGES(unsetenv, (const char *name), (name))
CHANGES(putenv, (char *text), (text))
CHANGES(clearenv, (void), ())

/* The program's comparisons are recorded as they come; what libc moved is one write at the end. */
HD_EXPORT void qsort(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (!hd_rt_sym_sort(p, n, size, compare))
        hd_real.qsort(p, n, size, compare);
    struct hd_thread *me = rt.on && hd_rt_module_has(HD_PC) ? hd_rt_enter() : NULL;
    if (me) {
        hd_rt_wrote(HD_PC, p, n * size);
        hd_rt_leave(me);
    }
}
