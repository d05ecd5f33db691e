/* The filters built on must-happen-before: alone, and together with lock sets. */
#include "base/alloc.h"
#include "detect/detect_int.h"
#include "detect/published/history.h"
#include "detect/filters/mhb.h"

static enum hd_status by_mhb(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_locksets *ls, struct hd_err *err)
{
    struct hd_history h;
    struct hd_mhb *m =
        hd_mhb_new_matching(t, opts->recorded_matching ? HD_MHB_RECORDED : HD_MHB_ANY_WAITER);
    const struct hd_timeline *line = hd_mhb_timeline(m);
    size_t threads = hd_trace_n_threads(t);
    uint32_t *at = hd_calloc(threads, sizeof *at); /* by thread: the change in force */
    hd_history_init(&h, t, opts, r, ls);
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&h.sink, e); e++) {
        hd_tid u = t->thread[e];
        while (at[u] + 1 < line->n[u] && line->of[u][at[u] + 1].pos <= t->pos[e])
            at[u]++;
        if (hd_op_is_access(t->op[e]))
            hd_history_access(&h, (hd_eid)e, line->of[u][at[u]].clock->v, at[u]);
    }
    hd_free(at, threads * sizeof *at);
    hd_mhb_free(m);
    hd_locksets_free(ls);
    return hd_history_finish(&h, err);
}

enum hd_status hd_detect_mhb(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err)
{
    return by_mhb(t, opts, r, NULL, err);
}

enum hd_status hd_detect_quick(const struct hd_trace *t, const struct hd_detect_opts *opts,
                               struct hd_detect_result *r, struct hd_err *err)
{
    return by_mhb(t, opts, r, hd_locksets_new(t), err);
}
