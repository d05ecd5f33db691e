#include "report/make/why.h"

#include "report/make/frame_names.h"

#include <stdio.h>

/* " at bank.c:12"; nothing where the C++ library does it for the program. */
static void place_of(const struct hd_trace *t, hd_eid e, char *out, size_t size)
{
    const char *place = hd_trace_place_name(t, e);
    struct hd_frame frame = {.at.file = place};
    if (*place && !hd_frame_names_foreign(&frame))
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

/* Where an atomic write of the thread of a is read by an atomic read of the thread of b, and does
 * not order the two. */
struct link {
    hd_eid write, read;
    bool releases, acquires;
};

/* Does a fence of the thread between the two positions do what is asked for? */
static bool fenced(const struct hd_trace *t, hd_tid u, uint32_t from, uint32_t to, bool releases)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    for (uint32_t i = from; i < to && i < n; i++) {
        const struct hd_mem_order_info *o = &hd_mem_order_info[hd_trace_order(t, events[i])];
        if (t->op[events[i]] == HD_OP_FENCE && (releases ? o->releases : o->acquires))
            return true;
    }
    return false;
}

static bool find_link(const struct hd_trace *t, const struct hd_witness *w, struct link *l)
{
    for (size_t i = w->n; i-- > 0;) {
        hd_eid e = w->schedule[i], source = HD_EID_NONE;
        if (t->thread[e] != t->thread[w->b] || e == w->b || !hd_op_is_atomic(t->op[e]) ||
            !hd_op_reads(t->op[e]))
            continue;
        for (size_t k = i; k-- > 0 && source == HD_EID_NONE;)
            if (hd_op_writes(t->op[w->schedule[k]]) && t->obj[w->schedule[k]] == t->obj[e])
                source = w->schedule[k];
        if (source == HD_EID_NONE || !hd_op_is_atomic(t->op[source]) ||
            t->thread[source] != t->thread[w->a] || t->pos[source] < t->pos[w->a])
            continue;
        l->write = source;
        l->read = e;
        l->releases = hd_mem_order_info[hd_trace_order(t, source)].releases ||
                      fenced(t, t->thread[source], t->pos[w->a], t->pos[source], true);
        l->acquires = hd_mem_order_info[hd_trace_order(t, e)].acquires ||
                      fenced(t, t->thread[e], t->pos[e], t->pos[w->b], false);
        return true;
    }
    return false;
}

bool hd_why_between(const struct hd_trace *t, const struct hd_witness *w, hd_eid pair[2])
{
    struct link l;
    if (!w->unordered || !find_link(t, w, &l))
        return false;
    pair[0] = l.write;
    pair[1] = l.read;
    return true;
}

/* The order that e needs in addition to its own, as the program spells it. */
static const char *order_needed(const struct hd_trace *t, hd_eid e, bool release)
{
    const struct hd_mem_order_info *o = &hd_mem_order_info[hd_trace_order(t, e)];
    if (t->op[e] == HD_OP_RMW && (release ? o->acquires : o->releases))
        return "memory_order_acq_rel";
    return release ? "memory_order_release" : "memory_order_acquire";
}

/* Which operation fails to order the accesses, and what would. */
static void why_unordered(const struct hd_trace *t, const struct hd_witness *w, const char *between,
                          char *text, size_t size)
{
    struct link l;
    char write[400], read[400];
    if (!find_link(t, w, &l) || (l.releases && l.acquires)) {
        snprintf(text, size,
                 "nothing that orders memory leads from the first access to the second: they come "
                 "one after the other, but no release by %s is acquired by %s in between.",
                 hd_trace_thread_name(t, t->thread[w->a]),
                 hd_trace_thread_name(t, t->thread[w->b]));
        return;
    }
    place_of(t, l.write, write, sizeof write);
    place_of(t, l.read, read, sizeof read);
    int n = snprintf(text, size, "only %s is between them, and it does not order memory:",
                     between ? between : hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[l.write]));
    if (n > 0 && (size_t)n < size && !l.releases)
        n += snprintf(text + n, size - (size_t)n, " the %s%s is %s;",
                      t->op[l.write] == HD_OP_RMW ? "update" : "store", write,
                      hd_mem_order_info[hd_trace_order(t, l.write)].word);
    if (n > 0 && (size_t)n < size && !l.acquires)
        n += snprintf(text + n, size - (size_t)n, " the %s%s is %s;",
                      t->op[l.read] == HD_OP_RMW ? "update" : "load", read,
                      hd_mem_order_info[hd_trace_order(t, l.read)].word);
    if (n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, " %s%s%s%s%s would order them.",
                 l.releases ? "" : order_needed(t, l.write, true), l.releases ? "" : write,
                 l.releases || l.acquires ? "" : " and ",
                 l.acquires ? "" : order_needed(t, l.read, false), l.acquires ? "" : read);
}

void hd_why_race(const struct hd_trace *t, const struct hd_witness *w, const char *between,
                 char *text, size_t size)
{
    if (w->unordered) {
        why_unordered(t, w, between, text, size);
        return;
    }
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
