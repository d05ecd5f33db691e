#include "predict/ucg/ucg_base.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "detect/edges.h"
#include "predict/ucg/ucg_labels.h"

static bool is_sync(const struct hd_ucg_base *b, hd_eid e)
{
    enum hd_op op = b->t->op[e];
    return hd_section_of(b->sections, e) != HD_SECTION_NONE || op == HD_OP_WAIT ||
           op == HD_OP_SIG || op == HD_OP_BCAST;
}

/* How many locks the thread holds after e, given how many it held before. */
static uint32_t held_after(const struct hd_ucg_base *b, hd_eid e, uint32_t held)
{
    uint32_t id = hd_section_of(b->sections, e);
    if (id == HD_SECTION_NONE)
        return held;
    return hd_section_at(b->sections, id)->open == e ? held + 1 : held - 1;
}

/* safe[i] for the thread's i-th place between synchronisation events: the last of these places, no
 * later than it, at which nothing is held and no thread waits. */
static void list_thread(struct hd_ucg_base *b, hd_tid u, uint32_t *safe)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(b->t, u, &n);
    uint32_t held = 0, last = 0, i = 0;
    b->sync_start[u] = (uint32_t)b->n_sync;
    safe[0] = 0;
    for (uint32_t p = 0; p < n; p++) {
        if (!is_sync(b, events[p]))
            continue;
        held = held_after(b, events[p], held);
        b->sync[b->n_sync++] = p;
        i++;
        if (!held && b->t->op[events[p]] != HD_OP_WAIT)
            last = i;
        safe[i] = last;
    }
}

static void list_sync(struct hd_ucg_base *b)
{
    size_t total = 0, threads = b->n_threads;
    for (size_t e = 0; e < b->t->n_events; e++)
        total += is_sync(b, (hd_eid)e);
    b->sync = hd_alloc(total * sizeof *b->sync);
    b->safe = hd_alloc((total + threads) * sizeof *b->safe);
    b->sync_start = hd_alloc((threads + 1) * sizeof *b->sync_start);
    for (hd_tid u = 0; u < threads; u++)
        list_thread(b, u, b->safe + b->n_sync + u);
    b->sync_start[threads] = (uint32_t)b->n_sync;
}

static void count_waiters(struct hd_ucg_base *b)
{
    size_t conds = hd_trace_n_objs(b->t, HD_OBJ_COND);
    b->few_waiters = hd_alloc(conds);
    for (uint32_t c = 0; c < conds; c++) {
        size_t n, waiting = 0;
        const struct hd_loc_user *users = hd_accesses_users(b->conds, c, &n);
        for (size_t i = 0; i < n; i++) {
            bool waits = false;
            for (uint32_t k = users[i].start; k < users[i].end && !waits; k++)
                waits = b->t->op[b->conds->list[k]] == HD_OP_WAIT;
            waiting += waits;
        }
        b->few_waiters[c] = waiting <= 1 || n <= 2;
    }
}

static void find_notifiers(struct hd_ucg_base *b)
{
    const struct hd_trace *t = b->t;
    struct hd_edges edges;
    hd_edges_init(&edges, t);
    b->notifier = hd_alloc(t->n_events * sizeof *b->notifier);
    for (size_t e = 0; e < t->n_events; e++)
        b->notifier[e] = HD_EID_NONE;
    for (size_t i = 0; i < edges.n; i++) {
        hd_eid from = edges.edge[i].from, to = edges.edge[i].to;
        if (t->op[to] == HD_OP_WAKE && (t->op[from] == HD_OP_SIG || t->op[from] == HD_OP_BCAST))
            b->notifier[to] = from;
    }
    hd_edges_fini(&edges);
}

struct hd_ucg_base *hd_ucg_base_new(const struct hd_trace *t, const struct hd_sections *sections,
                                    const struct hd_accesses *conds, const struct hd_must *must,
                                    enum hd_mhb_matching matching)
{
    struct hd_ucg_base *b = hd_calloc(1, sizeof *b);
    b->t = t;
    b->sections = sections;
    b->conds = conds;
    b->must = must;
    b->n_threads = hd_trace_n_threads(t);
    if (!must)
        b->mhb = hd_mhb_new_matching(t, matching);
    if (hd_trace_n_objs(t, HD_OBJ_COND))
        b->observed = hd_mhb_new_matching(t, HD_MHB_RECORDED);
    if (matching == HD_MHB_RECORDED && hd_stop_now() == HD_STOP_NO)
        find_notifiers(b);
    if (hd_stop_now() == HD_STOP_NO)
        list_sync(b);
    if (hd_stop_now() == HD_STOP_NO)
        count_waiters(b);
    if (hd_stop_now() == HD_STOP_NO)
        hd_ucg_labels_stretches(b);
    if (hd_stop_now() == HD_STOP_NO)
        return b;
    hd_ucg_base_free(b);
    return NULL;
}

void hd_ucg_base_free(struct hd_ucg_base *b)
{
    if (!b)
        return;
    hd_mhb_free(b->mhb);
    hd_mhb_free(b->observed);
    if (b->notifier)
        hd_free(b->notifier, b->t->n_events * sizeof *b->notifier);
    hd_free(b->sync, b->n_sync * sizeof *b->sync);
    hd_free(b->safe, (b->n_sync + b->n_threads) * sizeof *b->safe);
    hd_free(b->sync_start, (b->n_threads + 1) * sizeof *b->sync_start);
    hd_ucg_labels_stretches_free(b);
    hd_free(b->few_waiters, hd_trace_n_objs(b->t, HD_OBJ_COND));
    hd_free(b, sizeof *b);
}

uint32_t hd_ucg_base_sync_from(const struct hd_ucg_base *b, hd_tid u, uint32_t pos)
{
    uint32_t lo = b->sync_start[u], hi = b->sync_start[u + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->sync[mid] < pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t hd_ucg_base_safe(const struct hd_ucg_base *b, hd_tid u, uint32_t count)
{
    uint32_t from = b->sync_start[u], i = hd_ucg_base_sync_from(b, u, count) - from;
    uint32_t last = b->safe[from + u + i];
    return last == i ? count : b->sync[from + last];
}
