/* The end of the process by exit, quick_exit or main's return: threads that can still run do so
 * first, until all of them are blocked. Runs in the user's process; see the rules in rt.h.
 *
 * The thread that ends the process is a sleeper meanwhile, with a deadline: the clock goes as far
 * for the others. It goes on at once when they have used up their steps, or when those that are
 * left wait for the world outside, and none sleeps. Handlers of atexit run afterwards, with the
 * threads that are not done. */
#include "rt/core/real.h"
#include "rt/core/runon.h"

#include <errno.h>

#define SPAN UINT64_C(1000000000) /* of virtual time */
#define TURN 512                  /* hooks: every thread that can run on gets its turn */

static char mark; /* what threads that end the process wait for */

static bool lets_others_run(const struct hd_thread *t)
{
    return t && t->state == HD_BLOCKED && t->wait_obj == &mark;
}

bool hd_rt_exit_sleepers(void)
{
    const struct hd_thread *last = rt.exiting;
    if (!lets_others_run(last))
        return false;
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state == HD_BLOCKED && rt.threads[i]->deadline < last->deadline)
            return true;
    return false;
}

bool hd_rt_exit_due(bool idle)
{
    if (!lets_others_run(rt.exiting))
        return false;
    return !rt.exit_steps || (idle && (rt.n_fdwait || rt.n_outside) && !hd_rt_exit_sleepers());
}

uint64_t hd_rt_exit_budget(uint64_t n)
{
    n = n < TURN ? n : TURN;
    return n < rt.exit_steps ? n : rt.exit_steps;
}

/* Of several threads that end the process the first one does; the others never come back. */
static void run_on(uintptr_t pc)
{
    struct hd_thread *me = rt.multi ? hd_rt_enter_at(NULL, 0, pc) : NULL;
    if (!me)
        return;
    if (!rt.steer && rt.header->exit_steps && rt.exiting != me) {
        bool first = !rt.exiting;
        uint64_t deadline = first ? rt.now + SPAN : HD_NEVER;
        if (first) {
            rt.exiting = me;
            rt.exit_steps = rt.header->exit_steps;
        }
        while (!first || (rt.exit_steps && rt.now < deadline))
            hd_rt_block(me, &mark, HD_WAITS_OTHER, deadline, pc);
        rt.exit_steps = 0;
    }
    hd_rt_leave(me);
}

HD_EXPORT void exit(int status)
{
    run_on(HD_PC);
    hd_real.exit(status);
    __builtin_unreachable();
}

HD_EXPORT void quick_exit(int status)
{
    run_on(HD_PC);
    hd_rt_settle(status);
    hd_real.quick_exit(status);
    __builtin_unreachable();
}

static int (*program)(int, char **, char **);

static int main_of_program(int argc, char **argv, char **envp)
{
    int status = program(argc, argv, envp);
    run_on((uintptr_t)program);
    return status;
}

/* main's return is a call of exit inside the C library. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack);
HD_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                void (*init)(void), void (*fini)(void), void (*end)(void),
                                void *stack)
{
    if (!hd_real.__libc_start_main)
        hd_rt_real_find();
    program = main;
    return hd_real.__libc_start_main(main_of_program, argc, argv, init, fini, end, stack);
}
