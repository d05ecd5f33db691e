#include "model/check.h"

#include "base/log.h"
#include "base/stop.h"

#include <inttypes.h>
#include <stdio.h>

/* A value for people; one that has no name is told by where it came from. */
static void value_text(struct hd_value v, char *text, size_t cap)
{
    if (!v.unique)
        snprintf(text, cap, "%" PRIu64, v.bits);
    else if (v.bits < HD_MAX_EVENTS)
        snprintf(text, cap, "the value that event %" PRIu64 " writes", v.bits + 1);
    else
        snprintf(text, cap, "the initial value");
}

/* The name of an event for people: "event 7 (acq(m) by t1)". */
static void event_text(const struct hd_trace *t, hd_eid e, char *text, size_t cap)
{
    const struct hd_op_info *info = &hd_op_info[t->op[e]];
    const char *obj = "";
    if (info->kind == HD_OBJ_THREAD)
        obj = hd_trace_thread_name(t, t->obj[e]);
    else if (info->kind != HD_OBJ_NONE)
        obj = hd_trace_obj_name(t, info->kind, t->obj[e]);
    bool bare = info->kind == HD_OBJ_NONE;
    snprintf(text, cap, "event %llu (%s%s%s%s by %s)", (unsigned long long)e + 1, info->text,
             bare ? "" : "(", obj, bare ? "" : ")", hd_trace_thread_name(t, t->thread[e]));
}

static enum hd_status cannot_run(const struct hd_state *s, hd_eid e, enum hd_why why,
                                 struct hd_err *err)
{
    char what[160], reason[320];
    event_text(s->t, e, what, sizeof what);
    hd_state_explain(s, e, why, reason, sizeof reason);
    return hd_err_set(err, HD_ERR_INPUT, "%s cannot run here: %s", what, reason);
}

static enum hd_status wrong_value(const struct hd_state *s, hd_eid e, struct hd_cell held,
                                  struct hd_err *err)
{
    char what[160], traced[64], found[64];
    event_text(s->t, e, what, sizeof what);
    value_text(hd_trace_read_value(s->t, e), traced, sizeof traced);
    value_text((struct hd_value){held.bits, held.kind == HD_CELL_UNIQUE}, found, sizeof found);
    return hd_err_set(err, HD_ERR_INPUT, "%s reads %s, but %s holds %s", what, traced,
                      hd_trace_obj_name(s->t, HD_OBJ_LOC, s->t->obj[e]), found);
}

static enum hd_status run_trace(struct hd_state *s, const struct hd_matching *m, hd_eid *bad,
                                struct hd_err *err)
{
    const struct hd_trace *t = s->t;
    size_t next_wake = 0;
    for (hd_eid e = 0; e < t->n_events; e++) {
        *bad = e;
        if (hd_stop_often(e))
            return hd_err_set(err, HD_ERR_STOPPED, "stopped before its order was checked");
        enum hd_why why = hd_state_why(s, e);
        if (why)
            return cannot_run(s, e, why, err);
        hd_tid woken = HD_TID_NONE;
        if (next_wake < m->n && m->wakes[next_wake].sig == e)
            woken = m->wakes[next_wake++].thread;
        struct hd_cell held = hd_op_reads(t->op[e]) ? s->mem[t->obj[e]] : (struct hd_cell){0};
        hd_state_step(s, e, woken);
        if (s->thread[t->thread[e]].n_stale)
            return wrong_value(s, e, held, err);
    }
    *bad = HD_EID_NONE;
    return HD_OK;
}

enum hd_status hd_check_trace(const struct hd_trace *t, hd_eid *bad, struct hd_err *err)
{
    struct hd_layout layout;
    struct hd_state state;
    struct hd_matching matching;
    hd_eid at = HD_EID_NONE;
    hd_layout_init(&layout, t);
    hd_state_init(&state, &layout);
    hd_matching_check(t, &matching);
    enum hd_status status = run_trace(&state, &matching, &at, err);
    if (status != HD_OK)
        HD_DEBUG_LINE(MODEL, "the trace is not consistent at event %u", at + 1);
    if (bad)
        *bad = at;
    hd_matching_fini(&matching);
    hd_state_fini(&state);
    hd_layout_fini(&layout);
    return status;
}
