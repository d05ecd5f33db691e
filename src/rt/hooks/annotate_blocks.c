/* Blocks that are meant to be atomic: heddle/annotate.h. Runs in the user's process; see the rules
 * in rt.h. */
#include "heddle/annotate.h"

#include "rt/core/rt.h"

static __thread unsigned depth; /* begun by this thread, not yet ended */

static void log_mark(enum hd_log_kind kind, uintptr_t pc)
{
    hd_rt_log_words(kind, 0, pc, 0, NULL);
}

HD_EXPORT void __hd_atomic_begin(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    depth++;
    log_mark(HD_LOG_BEGIN, HD_PC);
    hd_rt_leave(me);
}

HD_EXPORT void __hd_atomic_end(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    if (depth) {
        depth--;
        log_mark(HD_LOG_LAST_EVENT, HD_PC);
    }
    hd_rt_leave(me);
}
