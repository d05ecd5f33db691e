/* Section 8 of docs/MODEL.md read a second time: every schedule is written out, and of each event
 * in it the set of events that come before it, edge by edge. See naive.h. */
#include "naive.h"
#include "naive_int.h"

#include <string.h>

struct orders {
    const struct nv_trace *t;
    struct nv_run run;
    /* By position in the run, as bits of positions: before by hb and by hb+. */
    uint32_t hb[NV_MAX], plus[NV_MAX];
    struct nv_orders *result;
};

static const struct nv_event *at(const struct orders *o, int k)
{
    return &o->t->ev[o->run.event[k]];
}

static bool acquires(const struct nv_event *e)
{
    return e->order == HD_ORDER_SC || e->order == HD_ORDER_ACQ || e->order == HD_ORDER_CON ||
           e->order == HD_ORDER_AR;
}

static bool releases(const struct nv_event *e)
{
    return e->order == HD_ORDER_SC || e->order == HD_ORDER_REL || e->order == HD_ORDER_AR;
}

static bool plain(const struct nv_event *e)
{
    return e->op == HD_OP_READ || e->op == HD_OP_WRITE;
}

/* The position of the write that an access at position k would read from, or -1. */
static int source(const struct orders *o, int k)
{
    for (int j = k - 1; j >= 0; j--)
        if (nv_writes(at(o, j)->op) && at(o, j)->obj == at(o, k)->obj)
            return j;
    return -1;
}

/* What synchronises with a target of the read at position y. */
static uint32_t sources(const struct orders *o, int y)
{
    uint32_t set = 0;
    for (int w = source(o, y); w >= 0 && !plain(at(o, w)); w = source(o, w)) {
        if (releases(at(o, w)))
            set |= 1u << w;
        for (int f = 0; f < w; f++)
            if (at(o, f)->op == HD_OP_FENCE && at(o, f)->thread == at(o, w)->thread &&
                releases(at(o, f)))
                set |= 1u << f;
        if (at(o, w)->op != HD_OP_RMW)
            break;
    }
    return set;
}

static uint32_t by_orders(const struct orders *o, int k)
{
    const struct nv_event *e = at(o, k);
    uint32_t set = 0;
    if ((e->op == HD_OP_AREAD || e->op == HD_OP_RMW) && acquires(e))
        set = sources(o, k);
    for (int y = 0; y < k && e->op == HD_OP_FENCE && acquires(e); y++)
        if (at(o, y)->thread == e->thread &&
            (at(o, y)->op == HD_OP_AREAD || at(o, y)->op == HD_OP_RMW))
            set |= sources(o, y);
    return set;
}

static uint32_t by_threads(const struct orders *o, int k)
{
    const struct nv_event *e = at(o, k);
    uint32_t set = 0;
    for (int j = 0; j < k; j++) {
        const struct nv_event *p = at(o, j);
        if (p->thread == e->thread || (p->op == HD_OP_FORK && p->obj == e->thread) ||
            (e->op == HD_OP_JOIN && p->thread == e->obj))
            set |= 1u << j;
    }
    return set;
}

static uint32_t by_locks(const struct orders *o, int k)
{
    const struct nv_event *e = at(o, k);
    bool leaves = e->op == HD_OP_WAKE || e->op == HD_OP_TMO;
    uint32_t set = 0;
    if (e->op != HD_OP_ACQ && e->op != HD_OP_RACQ && !leaves)
        return 0;
    for (int j = 0; j < k; j++) {
        const struct nv_event *p = at(o, j);
        bool ends = p->op == HD_OP_REL || p->op == HD_OP_WAIT ||
                    (p->op == HD_OP_RREL && e->op != HD_OP_RACQ);
        if (p->order == HD_ORDER_RLX || e->order == HD_ORDER_RLX)
            continue;
        if (ends && (p->op == HD_OP_WAIT ? p->lock : p->obj) == (leaves ? e->lock : e->obj))
            set |= 1u << j;
    }
    return set;
}

/* Of all events of this op on the object, in the order of the run, the n-th one from 0. */
static int nth(const struct orders *o, int k, enum hd_op op, int obj, int n)
{
    for (int j = 0; j < k; j++)
        if (at(o, j)->op == op && at(o, j)->obj == obj && n-- == 0)
            return j;
    return -1;
}

static int count(const struct orders *o, int k, enum hd_op op, int obj)
{
    int n = 0;
    while (nth(o, k, op, obj, n) >= 0)
        n++;
    return n;
}

static uint32_t by_objects(const struct orders *o, int k)
{
    const struct nv_event *e = at(o, k);
    uint32_t set = 0;
    if (e->op == HD_OP_SEM) {
        int post = count(o, k, HD_OP_SEM, e->obj) - (int)o->t->sem[e->obj];
        if (post >= 0)
            set = 1u << nth(o, k, HD_OP_POST, e->obj, post);
    } else if (e->op == HD_OP_BAROUT) {
        int size = (int)o->t->barrier[e->obj], mine = 0, n = count(o, k, HD_OP_BARIN, e->obj);
        for (int i = 0; i < n; i++)
            if (at(o, nth(o, k, HD_OP_BARIN, e->obj, i))->thread == e->thread)
                mine = i / size;
        for (int i = 0; i < n; i++)
            if (i / size == mine)
                set |= 1u << nth(o, k, HD_OP_BARIN, e->obj, i);
    } else if (e->op == HD_OP_WAKE) {
        int wait = k - 1;
        while (at(o, wait)->thread != e->thread)
            wait--;
        for (int j = k - 1; j > wait; j--) /* the first one after the wait stays */
            if ((at(o, j)->op == HD_OP_BCAST && at(o, j)->obj == e->obj) ||
                (at(o, j)->op == HD_OP_SIG && o->run.woken[j] == e->thread))
                set = 1u << j;
    }
    return set;
}

static uint32_t closed(const uint32_t *before, uint32_t set)
{
    uint32_t result = set;
    for (int j = 0; j < NV_MAX; j++)
        if (set >> j & 1)
            result |= before[j];
    return result;
}

/* The last event of the run: what comes before it, and the pairs that it makes. */
static void judge(struct orders *o)
{
    int k = o->run.n - 1, from = source(o, k);
    const struct nv_event *b = at(o, k);
    uint32_t direct = by_orders(o, k) | by_threads(o, k) | by_locks(o, k) | by_objects(o, k);
    o->hb[k] = closed(o->hb, direct);
    o->plus[k] = closed(o->plus, direct);
    for (int j = 0; j < k; j++) {
        int x = o->run.event[j], y = o->run.event[k], low = x < y ? x : y, high = x < y ? y : x;
        if (!nv_conflict(at(o, j), b) || o->hb[k] >> j & 1)
            continue;
        o->result->unordered[low][high] = true;
        if (!(o->plus[k] >> j & 1))
            o->result->alone[low][high] = true;
    }
    if (nv_reads(b->op) && from >= 0 && (plain(b) || plain(at(o, from))))
        o->plus[k] |= closed(o->plus, 1u << from);
}

static void go_on(struct orders *o)
{
    const struct nv_trace *t = o->t;
    struct nv_run *r = &o->run;
    for (int i = 0; i < t->n; i++) {
        bool waiters = false;
        if (!nv_enabled(t, r, i))
            continue;
        for (int u = 0; u <= t->threads; u++) {
            bool choice =
                u < t->threads && t->ev[i].op == HD_OP_SIG && nv_waiting(t, r, u, t->ev[i].obj);
            waiters = waiters || choice;
            if (!choice && (u < t->threads || waiters))
                continue;
            r->event[r->n] = i;
            r->woken[r->n++] = choice ? u : -1;
            judge(o);
            go_on(o);
            r->n--;
        }
    }
}

void nv_unordered(const struct nv_trace *t, struct nv_orders *result)
{
    struct orders o = {.t = t, .result = result};
    memset(result, 0, sizeof *result);
    go_on(&o);
}
