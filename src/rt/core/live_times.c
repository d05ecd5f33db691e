/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/live_times.h"

#include "rt/core/rt.h"

static uint64_t latest; /* that any thread was given */

/* A forked child goes on where its parent was: what that was told before is skipped. */
static bool answer(struct hd_thread *me)
{
    struct hd_times *t = &me->times;
    uint64_t added;
    if (!t->answers.begun)
        t->said = 0;
    while (t->played < t->asked) {
        if (!hd_rt_answers_next(me, &t->answers, HD_ARRIVAL_TIME, &added))
            return false;
        t->said += added;
        t->played++;
    }
    return true;
}

uint64_t hd_rt_times_tell(struct hd_thread *me)
{
    struct hd_times *t = &me->times;
    t->asked++;
    if (rt.follow && answer(me))
        t->skew = (int64_t)(t->said - rt.now);
    else if (rt.follow && rt.now + (uint64_t)t->skew <= latest)
        t->skew = (int64_t)(latest + 1 - rt.now);
    uint64_t now = rt.now + (uint64_t)t->skew;
    if (!rt.follow && !rt.tapped) {
        hd_rt_answers_log(HD_ARRIVAL_TIME, now - t->said);
        t->said = now;
    }
    if (now > latest)
        latest = now;
    return now;
}

uint64_t hd_rt_times_seen(const struct hd_thread *me, uint64_t at)
{
    int64_t skew = me->times.skew;
    return skew > 0 && at < (uint64_t)skew ? 0 : at - (uint64_t)skew;
}
