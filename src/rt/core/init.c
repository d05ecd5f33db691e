/* Start and end of the runtime. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/policy/policy.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/core/fork_server.h"
#include "rt/core/frame_walk.h"
#include "rt/libc/sync.h"
#include "rt/core/thread.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool hd_rt_ready;
/* For hooks of threads that are not ours: always busy, so that they go the long way. */
static struct hd_thread not_ours = {.in_rt = HD_IN_RT};
__thread struct hd_flow __hd_flow HD_EXPORT = {.now = UINT32_MAX, .quick = &not_ours};

static int log_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    char exe[4096];
    const char *path = info->dlpi_name;
    bool *first = arg;
    if (*first && (!path || !*path)) {
        long n =
            hd_rt_syscall(SYS_readlink, (long)"/proc/self/exe", (long)exe, sizeof exe - 1, 0, 0, 0);
        exe[n > 0 ? n : 0] = 0;
        path = exe;
    }
    *first = false;
    if (path && *path && rt.follow)
        hd_rt_follow_module(path, path == exe, info->dlpi_addr);
    if (path && *path)
        hd_rt_log_text(HD_LOG_MODULE, 0, info->dlpi_addr, path);
    return 0;
}

static void start_policy(void)
{
    static const struct hd_policy *const kinds[] = {
#define POLICY_ROW(kind, name, number) [number] = &hd_rt_policy_##name,
        HD_POLICIES(POLICY_ROW)
#undef POLICY_ROW
    };
    uint32_t k = hd_rt_log_is_target() ? HD_POLICY_FOLLOW : rt.header->policy;
    rt.policy = kinds[k < sizeof kinds / sizeof *kinds ? k : 0];
    rt.policy->start();
    hd_rt_new_budget();
}

/* Programs that were made for ThreadSanitizer may bring suppressions along in this function. */
extern const char *__tsan_default_suppressions(void) __attribute__((weak));

static void log_rules(void)
{
    const char *rules = __tsan_default_suppressions ? __tsan_default_suppressions() : NULL;
    size_t n = rules ? strlen(rules) : 0;
    if (n)
        hd_rt_log_data(HD_LOG_NOTE, 0, HD_NOTE_RULES, rules, n < 65536 ? n : 65536);
}

/* The loader found the C library's functions before ours: a library that is instrumented came with
 * a program that is not (record/preload.h). Locks and threads are not seen then. */
static bool comes_late(void)
{
    Dl_info found, libc;
    void *lock = dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
    void *known = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    return lock && known && dladdr(lock, &found) && dladdr(known, &libc) &&
           found.dli_fbase == libc.dli_fbase;
}

static _Noreturn void refuse(void)
{
    static const char text[] = "heddle: a program that is not linked with heddle cc was started "
                               "without LD_PRELOAD, and loaded an instrumented library: no lock of "
                               "it would be seen\n";
    rt.header->late = 1;
    if (rt.header->own_file) /* else the driver says so */
        hd_rt_syscall(SYS_write, 2, (long)text, sizeof text - 1, 0, 0, 0);
    for (;;)
        hd_rt_syscall(SYS_exit_group, 3, 0, 0, 0, 0, 0);
}

void hd_rt_init(void)
{
    static bool found, begun;
    if (begun)
        return;
    if (!found)
        hd_rt_real_find();
    found = true;
    if (!environ)
        return; /* pre-initialisers (of UBSan) run before the C library has its environment */
    begun = true;
    hd_rt_serve();
    if (!hd_rt_log_open()) {
        hd_rt_ready = true;
        return;
    }
    if (comes_late())
        refuse();
    hd_rt_heap_start();
    start_policy();
    if (!rt.header->real_base)
        rt.header->real_base = hd_rt_real_ns(CLOCK_REALTIME);
    rt.real_base = rt.header->real_base;
    struct hd_thread *me = hd_rt_thread_new();
    me->tid = (pid_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    me->flow = &__hd_flow;
    me->handle = pthread_self();
    me->state = HD_RUNNING;
    me->in_rt = 1;
    rt.holder = me;
    hd_rt_is(me);
    hd_rt_log1(HD_LOG_SWITCH, 0, 0);
    bool first = true;
    dl_iterate_phdr(log_module, &first);
    hd_rt_module_start();
    log_rules();
    hd_rt_stack_init();
    hd_rt_unwind_init();
    hd_rt_thread_setup(me);
    hd_rt_log_stack(me);
    on_exit(hd_rt_ends_with, NULL);
    rt.on = true;
    hd_rt_ready = true;
    me->in_rt = 0;
}

__attribute__((constructor(101))) static void at_start(void)
{
    hd_rt_init();
}

__attribute__((destructor(101))) static void at_end(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    hd_rt_steer_ending(me, HD_PC);
    hd_rt_module_loaded();
    rt.header->outcome = HD_OUTCOME_EXIT;
    hd_rt_log_finish();
    hd_rt_leave(me);
}
