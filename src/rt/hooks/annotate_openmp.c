/* What our OpenMP library reports to the tool (src/openmp/omp_spread.c). */
#include "rt/core/rt.h"
#include "rt/policy/policy.h"

#include <sched.h>

void __hd_omp_needs(uint32_t parts, uint32_t constructs, uint32_t team);

HD_EXPORT void __hd_omp_needs(uint32_t parts, uint32_t constructs, uint32_t team)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    struct hd_omp_needs *needs = &rt.header->omp;
    needs->parts = parts > needs->parts ? parts : needs->parts;
    needs->constructs = constructs > needs->constructs ? constructs : needs->constructs;
    needs->team = team ? team : needs->team;
    hd_rt_leave(me);
}

int __hd_omp_came(const uint8_t *claim);

/* Not a hook of its own: the turns that others get are those of sched_yield. */
HD_EXPORT int __hd_omp_came(const uint8_t *claim)
{
    enum { PATIENCE = 64 };
    if (rt.policy == &hd_rt_policy_follow)
        return 1;
    for (int i = 0; i < PATIENCE && !__atomic_load_n(claim, __ATOMIC_RELAXED); i++)
        sched_yield();
    return __atomic_load_n(claim, __ATOMIC_RELAXED) != 0;
}
