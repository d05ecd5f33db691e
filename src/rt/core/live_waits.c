/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/live_waits.h"

#include "rt/core/rt.h"

static enum hd_wait_answer next(struct hd_thread *me)
{
    struct hd_waits_told *w = &me->waits;
    uint64_t value;
    if (!w->known) {
        if (!hd_rt_answers_next(me, &w->answers, HD_ARRIVAL_WAITED, &value))
            return HD_WAIT_UNKNOWN;
        w->vain = value >> 1;
        w->child = value & 1;
        w->known = true;
    }
    w->played++;
    if (w->vain) {
        w->vain--;
        return HD_WAIT_NOT_YET;
    }
    w->known = false;
    return w->child ? HD_WAIT_CHILD : HD_WAIT_FAILED;
}

/* A forked child goes on where its parent was: what that was told before is skipped. */
enum hd_wait_answer hd_rt_waits_ask(struct hd_thread *me)
{
    struct hd_waits_told *w = &me->waits;
    enum hd_wait_answer answer = HD_WAIT_UNKNOWN;
    w->asked++;
    while (rt.follow && w->played < w->asked) {
        answer = next(me);
        if (answer == HD_WAIT_UNKNOWN)
            break;
    }
    return answer;
}

void hd_rt_waits_told(struct hd_thread *me, enum hd_wait_answer answer)
{
    struct hd_waits_told *w = &me->waits;
    if (rt.follow)
        return;
    if (answer == HD_WAIT_NOT_YET) {
        w->vain++;
        return;
    }
    hd_rt_answers_log(HD_ARRIVAL_WAITED, w->vain << 1 | (answer == HD_WAIT_CHILD));
    w->vain = 0;
}
