#include "report/make/why.h"

#include "report/make/frame_names.h"

#include <stdio.h>

/* " at bank.c:12"; nothing where the C++ library does it for the program. */
static void place_of(const struct hd_trace *t, hd_eid e, char *out, size_t size)
{
    const char *place = hd_trace_place_name(t, e);
    struct hd_frame frame = {.at.file = place};
    if (*place && !hd_frames_foreign(&frame))
        snprintf(out, size, " at %s", place);
    else
        *out = 0;
}

/* The first release of a lock by the thread of a after a that the thread of b then takes before b:
 * the hand-over that ordered the two in the recorded run. */
static bool find_handover(const struct hd_trace *t, hd_eid a, hd_eid b, hd_eid *rel, hd_eid *acq)
{
    size_t n, m;
    const hd_eid *first = hd_trace_thread_events(t, t->thread[a], &n);
    const hd_eid *second = hd_trace_thread_events(t, t->thread[b], &m);
    for (size_t i = t->pos[a] + 1; i < n && first[i] < b; i++) {
        if (t->op[first[i]] != HD_OP_REL)
            continue;
        for (size_t k = t->pos[b]; k-- > 0 && second[k] > first[i];)
            if (t->op[second[k]] == HD_OP_ACQ && t->obj[second[k]] == t->obj[first[i]]) {
                *rel = first[i];
                *acq = second[k];
                return true;
            }
    }
    return false;
}

static bool in_schedule(const struct hd_witness *w, hd_eid e)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->schedule[i] == e)
            return true;
    return false;
}

void hd_why_race(const struct hd_trace *t, const struct hd_witness *w, char *text, size_t size)
{
    hd_eid rel, acq;
    hd_eid a = w->a < w->b ? w->a : w->b, b = w->a < w->b ? w->b : w->a;
    if (!find_handover(t, a, b, &rel, &acq)) {
        snprintf(text, size,
                 "no lock keeps them apart, and nothing that every run must do puts one before "
                 "the other.");
        return;
    }
    char released[400], taken[400];
    place_of(t, rel, released, sizeof released);
    place_of(t, acq, taken, sizeof taken);
    int n = snprintf(text, size,
                     "the recorded run orders them only by the turn in which the threads took "
                     "%s: %s released it%s, then %s took it%s.",
                     hd_trace_obj_name(t, HD_OBJ_LOCK, t->obj[rel]),
                     hd_trace_thread_name(t, t->thread[rel]), released,
                     hd_trace_thread_name(t, t->thread[acq]), taken);
    if (n > 0 && (size_t)n < size && in_schedule(w, acq) && !in_schedule(w, rel))
        snprintf(text + n, size - (size_t)n, " Here %s takes it first.",
                 hd_trace_thread_name(t, t->thread[acq]));
}
