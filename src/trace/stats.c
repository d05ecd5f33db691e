#include "trace/stats.h"

#include "base/vec.h"

/* A lock that the thread at hand holds. */
struct hold {
    uint32_t lock;
    uint32_t depth; /* read and write side together */
    uint32_t start; /* position of the outermost acquire in the thread */
    hd_eid from;
};

struct walk {
    const struct hd_trace *t;
    struct hd_stats *stats;
    struct hd_vec holds; /* struct hold */
};

static struct hold *find(const struct walk *w, uint32_t lock)
{
    struct hold *holds = w->holds.data;
    for (size_t i = 0; i < w->holds.len; i++)
        if (holds[i].lock == lock)
            return &holds[i];
    return NULL;
}

static void take(struct walk *w, hd_eid e)
{
    struct hd_stats *s = w->stats;
    uint32_t lock = hd_trace_lock(w->t, e);
    struct hold *hold = find(w, lock);
    if (!hold) {
        hold = hd_vec_push(&w->holds);
        *hold = (struct hold){.lock = lock, .start = w->t->pos[e], .from = e};
        s->sections++;
    }
    if (++hold->depth > s->reentrance)
        s->reentrance = hold->depth;
    if (w->holds.len > s->nesting) {
        s->nesting = (uint32_t)w->holds.len;
        s->nesting_at = e;
    }
}

/* Ends the section; `end` is the position of the event that ends it. */
static void close_section(struct walk *w, struct hold *hold, uint32_t end, hd_eid to)
{
    struct hd_stats_section *longest = &w->stats->longest;
    uint64_t length = end - hold->start - 1;
    bool first = length == longest->length && hold->from < longest->from;
    if (longest->from == HD_EID_NONE || length > longest->length || first)
        *longest = (struct hd_stats_section){length, hold->from, to, hold->lock};
    *hold = *(struct hold *)hd_vec_at(&w->holds, --w->holds.len);
}

static void let_go(struct walk *w, hd_eid e, bool completely)
{
    struct hold *hold = find(w, hd_trace_lock(w->t, e));
    if (hold && (--hold->depth == 0 || completely))
        close_section(w, hold, w->t->pos[e], e);
}

static void visit(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    w->stats->by_op[t->op[e]]++;
    w->stats->omitted += hd_op_is_access(t->op[e]) && (t->flags[e] & HD_F_OMITTED);
    w->stats->dependences += t->dep[e] != 0;
    switch (t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_WAKE:
    case HD_OP_TMO:
        take(w, e);
        break;
    case HD_OP_REL:
    case HD_OP_RREL:
        let_go(w, e, false);
        break;
    case HD_OP_WAIT:
        let_go(w, e, true);
        break;
    default:
        break;
    }
}

static void count_shared(const struct hd_trace *t, struct hd_stats *stats)
{
    for (uint32_t loc = 0; loc < hd_trace_n_objs(t, HD_OBJ_LOC); loc++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, loc, &n);
        bool shared = false, written = false;
        for (size_t i = 0; i < n && !(shared && written); i++) {
            shared |= t->thread[events[i]] != t->thread[events[0]];
            written |= hd_op_writes(t->op[events[i]]);
        }
        stats->shared += shared;
        stats->shared_written += shared && written;
    }
}

void hd_stats_compute(const struct hd_trace *t, struct hd_stats *stats)
{
    *stats = (struct hd_stats){.longest.from = HD_EID_NONE, .nesting_at = HD_EID_NONE};
    struct walk w = {.t = t, .stats = stats, .holds = HD_VEC_INIT(struct hold)};
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        for (size_t i = 0; i < n; i++)
            visit(&w, events[i]);
        while (w.holds.len)
            close_section(&w, hd_vec_at(&w.holds, w.holds.len - 1), (uint32_t)n, HD_EID_NONE);
    }
    hd_vec_fini(&w.holds);
    count_shared(t, stats);
}
