/* What the runtime requires of itself: on in Debug, sanitizer and fuzz builds (they define
 * HD_DEBUG), nothing in the one that users get.
 *
 * Most of it is the rule of rt.h that only the holder of the token touches objects and the log: a
 * caller that breaks it gives a log whose order is not the order of the run. A check that fails
 * writes one line to standard error and kills the process, so that no handler of the program hides
 * it.
 */
#ifndef HD_RT_CORE_RT_CHECK_H
#define HD_RT_CORE_RT_CHECK_H

#include "rt/core/rt.h"

struct hd_sync;

#ifdef HD_DEBUG
#define HD_RT_CHECK(cond) ((cond) ? (void)0 : hd_rt_check_failed(__FILE__, __LINE__, #cond))
/* A structure looks at itself: HD_RT_SELF_CHECK(hd_rt_check_threads()). */
#define HD_RT_SELF_CHECK(call) (call)

_Noreturn void hd_rt_check_failed(const char *file, unsigned line, const char *what);
/* Lock held, no thread holds the token: states, counters and places of all threads agree. */
void hd_rt_check_threads(void);
/* Either one thread has it exclusively or any number shares it, each with a depth. */
void hd_rt_check_lock(const struct hd_sync *l);
#else
#define HD_RT_CHECK(cond)      ((void)0)
#define HD_RT_SELF_CHECK(call) ((void)0)
#endif

/* The calling thread has the token and is inside the runtime. */
#define HD_RT_CHECK_HOLDER(me) HD_RT_CHECK(rt.holder == (me) && (me)->in_rt)
#define HD_RT_CHECK_LOCKED()   HD_RT_CHECK(atomic_load(&rt.lock) != 0)

#endif
