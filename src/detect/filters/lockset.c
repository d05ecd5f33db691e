/* Two accesses race if they hold no lock in common that keeps them apart. This is Eraser's test
 * (Savage et al. 1997) put as a question about pairs, so that it can be compared with the others;
 * initialisation and read-sharing states are left out because they hide true races. */
#include "detect/detect_int.h"
#include "detect/published/history.h"

static enum hd_status by_locks(const struct hd_trace *t, const struct hd_detect_opts *opts,
                               struct hd_detect_result *r, struct hd_locksets *ls,
                               struct hd_err *err)
{
    struct hd_history h;
    hd_history_init(&h, t, opts, r, ls);
    h.timeless = true;
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&h.sink, e); e++)
        if (hd_op_is_access(t->op[e]))
            hd_history_access(&h, (hd_eid)e, NULL, 0);
    hd_locksets_free(ls);
    return hd_history_finish(&h, err);
}

enum hd_status hd_detect_lockset(const struct hd_trace *t, const struct hd_detect_opts *opts,
                                 struct hd_detect_result *r, struct hd_err *err)
{
    return by_locks(t, opts, r, hd_locksets_new(t), err);
}

/* The same with lock acquisition histories (Kahlon et al. 2005, as used by Said et al. 2011). */
enum hd_status hd_detect_lah(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err)
{
    return by_locks(t, opts, r, hd_locksets_new_histories(t), err);
}
