/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/rt_check.h"

#ifdef HD_DEBUG

#include "rt/libc/sync.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

static void put(const char *text)
{
    hd_rt_syscall(SYS_write, 2, (long)text, (long)strlen(text), 0, 0, 0);
}

_Noreturn void hd_rt_check_failed(const char *file, unsigned line, const char *what)
{
    char digits[12], *p = digits + sizeof digits - 1;
    *p = 0;
    do
        *--p = (char)('0' + line % 10);
    while (line /= 10);
    put("heddle: internal error in the runtime: ");
    put(file);
    put(":");
    put(p);
    put(": ");
    put(what);
    put("\n");
    for (;;)
        hd_rt_syscall(SYS_kill, hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
}

void hd_rt_check_threads(void)
{
    unsigned outside = 0, fdwait = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        HD_RT_CHECK(t->state != HD_RUNNING);
        HD_RT_CHECK(t->num < rt.n_created);
        HD_RT_CHECK(i == 0 || rt.threads[i - 1]->num < t->num);
        HD_RT_CHECK(t->state != HD_BLOCKED || t->wait_obj);
        outside += t->state == HD_OUTSIDE;
        fdwait += t->state == HD_FDWAIT;
    }
    HD_RT_CHECK(outside == rt.n_outside && fdwait == rt.n_fdwait);
}

void hd_rt_check_lock(const struct hd_sync *l)
{
    HD_RT_CHECK(l->kind == HD_SYNC_LOCK);
    HD_RT_CHECK(!l->owner || !l->readers);
    HD_RT_CHECK(!l->owner || l->depth);
    HD_RT_CHECK(!l->heir || l->owner);
    HD_RT_CHECK(l->writers <= l->waiters);
    for (const struct hd_reader *r = l->readers; r; r = r->next)
        HD_RT_CHECK(r->thread && r->depth);
}

#endif
