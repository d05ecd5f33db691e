#include "model/published_rules.h"

#include "base/alloc.h"
#include "base/bitset.h"
#include "base/err.h"

#include <string.h>

static bool allow_order(const struct hd_space *s, hd_eid e)
{
    return hd_state_why_order(&s->state, e) == HD_WHY_ENABLED;
}

const struct hd_space_rule hd_said_rule = {.allow = allow_order, .no_stale = true};

/* The wait that u, a waiter, is in. */
static hd_eid wait_of(const struct hd_state *s, hd_tid u)
{
    size_t n;
    return hd_trace_thread_events(s->t, u, &n)[s->thread[u].next - 1];
}

static bool recorded_choice(const struct hd_space *s, hd_eid sig, hd_tid waiter)
{
    const struct hd_recorded *r = s->ctx;
    return r->notifier[wait_of(&s->state, waiter)] == sig;
}

/* A sig needs its recorded waiter in the set, a bcast exactly its recorded ones; a sig that woke
 * no caller needs an empty set. */
static bool allow_recorded(const struct hd_space *s, hd_eid e)
{
    const struct hd_recorded *r = s->ctx;
    enum hd_op op = s->t->op[e];
    if (!allow_order(s, e))
        return false;
    if (op != HD_OP_SIG && op != HD_OP_BCAST)
        return true;
    uint32_t c = s->t->obj[e], own = 0;
    for (hd_tid u = hd_state_first_waiter(&s->state, c); u != HD_TID_NONE;
         u = hd_state_next_waiter(&s->state, u))
        own += r->notifier[wait_of(&s->state, u)] == e;
    bool others = s->state.n_waiting[c] > own;
    return own == r->woken[e] && (!others || (op == HD_OP_SIG && own));
}

const struct hd_space_rule hd_rv_rule = {.allow = allow_recorded, .choice = recorded_choice};

static void record_waiter(struct hd_recorded *r, const struct hd_state *s, hd_tid u, hd_eid by)
{
    r->notifier[wait_of(s, u)] = by;
    r->woken[by]++;
}

void hd_recorded_init(struct hd_recorded *r, const struct hd_trace *t)
{
    struct hd_layout layout;
    struct hd_state s;
    struct hd_matching m;
    *r = (struct hd_recorded){.n_events = t->n_events,
                              .notifier = hd_alloc(t->n_events * sizeof *r->notifier),
                              .woken = hd_calloc(t->n_events, sizeof *r->woken)};
    memset(r->notifier, 0xff, t->n_events * sizeof *r->notifier);
    hd_layout_init(&layout, t);
    hd_state_init(&s, &layout);
    hd_matching_check(t, &m);
    for (hd_eid e = 0; e < t->n_events; e++) {
        hd_tid woken = HD_TID_NONE;
        if (t->op[e] == HD_OP_SIG && (woken = hd_matching_woken(&m, e)) != HD_TID_NONE)
            record_waiter(r, &s, woken, e);
        if (t->op[e] == HD_OP_BCAST)
            for (hd_tid u = hd_state_first_waiter(&s, t->obj[e]); u != HD_TID_NONE;
                 u = hd_state_next_waiter(&s, u))
                record_waiter(r, &s, u, e);
        hd_state_step(&s, e, woken);
    }
    hd_matching_fini(&m);
    hd_state_fini(&s);
    hd_layout_fini(&layout);
}

void hd_recorded_fini(struct hd_recorded *r)
{
    hd_free(r->notifier, r->n_events * sizeof *r->notifier);
    hd_free(r->woken, r->n_events * sizeof *r->woken);
}

struct hd_published_rules {
    const struct hd_trace *t;
    const struct hd_space *space;
    struct hd_bitset finishes; /* states from which all events can run */
    struct hd_bitset seen;     /* states met while looking for the second access */
    struct hd_u32vec stack, met;
    size_t threads;
    uint32_t
        *before; /* by event and thread: how many of its events must happen before, or are, e */
};

/* States have larger numbers than those they are reached from. */
static void mark_finishing(struct hd_published_rules *p)
{
    const struct hd_space *s = p->space;
    for (size_t id = s->blocks.len; id-- > 0;) {
        size_t n, left = 0;
        const struct hd_space_edge *edges = hd_space_edges(s, (uint32_t)id, &n);
        const struct hd_thread_state *threads =
            (const void *)((const char *)hd_vec_at(&s->blocks, id) + s->layout.thread);
        for (hd_tid u = 0; u < p->threads; u++)
            left += threads[u].next;
        if (left == p->t->n_events)
            hd_bitset_add(&p->finishes, id);
        for (size_t i = 0; i < n; i++)
            if (hd_bitset_has(&p->finishes, edges[i].to))
                hd_bitset_add(&p->finishes, id);
    }
}

static void join_clock(struct hd_published_rules *p, hd_eid e, hd_eid earlier)
{
    for (size_t u = 0; u < p->threads && earlier != HD_EID_NONE; u++) {
        uint32_t seen = p->before[earlier * p->threads + u];
        uint32_t *mine = &p->before[e * p->threads + u];
        *mine = *mine < seen ? seen : *mine;
    }
}

/* Must-happen-before of the observed order: every edge points forward there. */
static void fill_clocks(struct hd_published_rules *p, const struct hd_recorded *recorded)
{
    const struct hd_trace *t = p->t;
    for (hd_eid e = 0; e < t->n_events; e++) {
        hd_tid u = t->thread[e];
        join_clock(p, e, t->pos[e] ? hd_trace_back(t, e, 1) : t->fork_of[u]);
        if (t->op[e] == HD_OP_JOIN) {
            size_t n;
            const hd_eid *events = hd_trace_thread_events(t, t->obj[e], &n);
            join_clock(p, e, n ? events[n - 1] : HD_EID_NONE);
        }
        if (t->op[e] == HD_OP_WAKE)
            join_clock(p, e, recorded->notifier[hd_trace_back(t, e, 1)]);
        p->before[e * p->threads + u] = t->pos[e] + 1;
    }
}

struct hd_published_rules *hd_published_rules_new(const struct hd_trace *t,
                                                  const struct hd_space *space,
                                                  const struct hd_recorded *recorded)
{
    struct hd_published_rules *p = hd_calloc(1, sizeof *p);
    p->t = t;
    p->space = space;
    p->threads = hd_trace_n_threads(t);
    p->before = hd_calloc(t->n_events * p->threads, sizeof *p->before);
    hd_bitset_init(&p->finishes, space->blocks.len);
    hd_bitset_init(&p->seen, space->blocks.len);
    mark_finishing(p);
    fill_clocks(p, recorded);
    return p;
}

void hd_published_rules_free(struct hd_published_rules *p)
{
    hd_bitset_fini(&p->finishes);
    hd_bitset_fini(&p->seen);
    hd_u32vec_fini(&p->stack);
    hd_u32vec_fini(&p->met);
    hd_free(p->before, p->t->n_events * p->threads * sizeof *p->before);
    hd_free(p, sizeof *p);
}

static void meet(struct hd_published_rules *p, uint32_t id)
{
    if (id == UINT32_MAX || hd_bitset_has(&p->seen, id) || !hd_bitset_has(&p->finishes, id))
        return;
    hd_bitset_add(&p->seen, id);
    hd_u32vec_push(&p->stack, id);
    hd_u32vec_push(&p->met, id);
}

/* From state id, just after `first`: can `second` run, with neither thread moving before it, in a
 * way that finishes? */
static bool second_follows(struct hd_published_rules *p, uint32_t id, hd_eid first, hd_eid second)
{
    const struct hd_trace *t = p->t;
    bool found = false;
    meet(p, id);
    while (p->stack.len) {
        uint32_t at = p->stack.data[--p->stack.len];
        size_t n;
        const struct hd_space_edge *edges = hd_space_edges(p->space, at, &n);
        for (size_t i = 0; i < n && !found; i++) {
            hd_tid u = t->thread[edges[i].event];
            if (edges[i].event == second)
                found = hd_bitset_has(&p->finishes, edges[i].to);
            else if (u != t->thread[first] && u != t->thread[second])
                meet(p, edges[i].to);
        }
    }
    for (size_t i = 0; i < p->met.len; i++)
        hd_bitset_del(&p->seen, p->met.data[i]);
    p->met.len = 0;
    return found;
}

bool hd_published_rules_said(struct hd_published_rules *p, uint32_t id, hd_eid a, hd_eid b)
{
    return second_follows(p, hd_space_after(p->space, id, a), a, b) ||
           second_follows(p, hd_space_after(p->space, id, b), b, a);
}

/* Does a branch stand at (for an access: just before) this event? */
static bool is_branch(const struct hd_trace *t, hd_eid e)
{
    if (t->control == HD_CONTROL_ALL || t->op[e] == HD_OP_BRANCH)
        return true;
    return hd_op_is_access(t->op[e]) && hd_trace_deps(t, e, HD_DEP_ADDR).n > 0;
}

/* Are the reads that guard e not stale in this state, in which all of them have run? */
static bool guards_hold(const struct hd_published_rules *p, const uint64_t *stale, hd_eid e)
{
    for (hd_tid u = 0; u < p->threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
        uint32_t last = p->before[e * p->threads + u];
        while (last > 0 && !is_branch(p->t, events[last - 1]))
            last--;
        for (uint32_t i = 0; i + 1 < last; i++)
            if (stale[events[i] / 64] >> (events[i] % 64) & 1)
                return false;
    }
    return true;
}

bool hd_published_rules_rv(struct hd_published_rules *p, uint32_t id, hd_eid a, hd_eid b)
{
    const struct hd_space *s = p->space;
    uint32_t after = hd_space_after(s, hd_space_after(s, id, a), b);
    const uint64_t *stale =
        (const void *)((const char *)hd_vec_at(&s->blocks, id) + s->layout.stale);
    return hd_bitset_has(&p->finishes, after) && guards_hold(p, stale, a) &&
           guards_hold(p, stale, b);
}
