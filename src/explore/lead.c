#include "explore/lead.h"

#include "base/alloc.h"
#include "detect/filters/locksets.h"
#include "build/origin.h"
#include "explore/lead_int.h"
#include "model/matching.h"
#include "model/property.h"
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

struct hd_leads {
    const struct hd_trace *t;
    struct hd_origins origins;
    struct hd_layout layout;
    struct hd_matching matching;
    struct hd_vec warnings; /* struct hd_warning */
};

enum hd_status hd_leads_new(const struct hd_trace *t, struct hd_leads **leads, struct hd_err *err)
{
    struct hd_leads *l = *leads = hd_calloc(1, sizeof *l);
    l->t = t;
    enum hd_status s = hd_origins_load(t, &l->origins, err);
    if (s != HD_OK) {
        hd_origins_fini(&l->origins);
        hd_free(l, sizeof *l);
        *leads = NULL;
        return s;
    }
    hd_layout_init(&l->layout, t);
    hd_matching_check(t, &l->matching);
    l->warnings = HD_VEC_INIT(struct hd_warning);
    hd_lead_warnings(t, &l->warnings);
    return HD_OK;
}

void hd_leads_free(struct hd_leads *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->warnings.len; i++)
        hd_vec_fini(&((struct hd_warning *)hd_vec_at(&l->warnings, i))->candidates);
    hd_vec_fini(&l->warnings);
    hd_matching_fini(&l->matching);
    hd_layout_fini(&l->layout);
    hd_origins_fini(&l->origins);
    hd_free(l, sizeof *l);
}

size_t hd_leads_count(const struct hd_leads *l)
{
    return l->warnings.len;
}

const struct hd_warning *hd_leads_warning(const struct hd_leads *l, size_t i)
{
    HD_ASSERT(i < l->warnings.len);
    return hd_vec_at(&l->warnings, i);
}

/* ---- threads ---- */

static uint32_t intern(struct hd_lead *lead, uint32_t parent, uint32_t child)
{
    for (uint32_t i = 1; i < lead->threads.len; i++) {
        const struct hd_steer_thread *t = hd_vec_at(&lead->threads, i);
        if (t->parent == parent && t->child == child)
            return i;
    }
    *(struct hd_steer_thread *)hd_vec_push(&lead->threads) =
        (struct hd_steer_thread){parent, child};
    return (uint32_t)(lead->threads.len - 1);
}

/* The name of a thread is its way of creation: "T1" is the first, "T1.2.1" the first that the
 * second thread of that one created. UINT32_MAX: it has another name. */
static uint32_t thread_of(struct hd_lead *lead, const char *name)
{
    uint32_t at = 0;
    if (strncmp(name, "T1", 2) != 0)
        return UINT32_MAX;
    for (name += 2; *name == '.';) {
        char *end;
        unsigned long child = strtoul(name + 1, &end, 10);
        if (end == name + 1 || child == 0 || child > UINT32_MAX)
            return UINT32_MAX;
        at = intern(lead, at, (uint32_t)child);
        name = end;
    }
    return *name ? UINT32_MAX : at;
}

/* ---- the lead ---- */

struct making {
    struct hd_leads *l;
    struct hd_lead *lead;
    struct hd_state state;
    uint64_t *stuck; /* a bit for each thread */
    uint32_t *known; /* by thread of the trace: index in the lead, or UINT32_MAX */
    bool *over;      /* by thread of the trace: it was told to end */
    hd_eid a1;
};

static bool is_stuck(const struct making *m, hd_tid u)
{
    return m->stuck[u / 64] >> (u % 64) & 1;
}

static void stick(struct making *m, hd_tid u)
{
    m->stuck[u / 64] |= UINT64_C(1) << (u % 64);
}

static bool reads_the_same(const struct making *m, hd_eid e)
{
    const struct hd_trace *t = m->l->t;
    if (!hd_op_reads(t->op[e]))
        return true;
    struct hd_value v = hd_trace_read_value(t, e);
    const struct hd_cell *cell = &m->state.mem[t->obj[e]];
    return cell->kind != HD_CELL_UNKNOWN && cell->bits == v.bits &&
           (cell->kind == HD_CELL_UNIQUE) == v.unique;
}

/* The choice of the waiter is part of the recorded run; without it the signal may mean something
 * else. */
static bool woken_by(const struct making *m, hd_eid e, hd_tid *woken)
{
    const struct hd_trace *t = m->l->t;
    *woken = HD_TID_NONE;
    if (t->op[e] != HD_OP_SIG || m->state.n_waiting[t->obj[e]] == 0)
        return true;
    *woken = hd_matching_woken(&m->l->matching, e);
    return *woken != HD_TID_NONE && hd_state_waits(&m->state, *woken, t->obj[e]);
}

static void choose(struct making *m, hd_eid e)
{
    struct hd_vec *choices = &m->lead->choices;
    const struct hd_trace *t = m->l->t;
    uint32_t step = m->l->origins.step[e], thread = m->known[t->thread[e]];
    if (step == 0)
        return; /* not the program's own */
    if (t->op[e] == HD_OP_JOIN && !m->over[t->obj[e]]) {
        /* That a thread ends is one more step, which is no event of the trace. */
        m->over[t->obj[e]] = true;
        *(struct hd_steer_choice *)hd_vec_push(choices) =
            (struct hd_steer_choice){.thread = m->known[t->obj[e]], .wakes = HD_STEER_NOBODY};
    }
    struct hd_steer_choice *last = choices->len ? hd_vec_at(choices, choices->len - 1) : NULL;
    if (!last || last->thread != thread) {
        last = hd_vec_push(choices);
        *last = (struct hd_steer_choice){.thread = thread, .wakes = HD_STEER_NOBODY};
    }
    last->until = step;
}

/* Lets e run if it can. */
static void go_on(struct making *m, hd_eid e)
{
    hd_tid u = m->l->t->thread[e], woken;
    if (is_stuck(m, u))
        return;
    if (m->known[u] == UINT32_MAX || !hd_state_enabled(&m->state, e) || !reads_the_same(m, e) ||
        !woken_by(m, e, &woken)) {
        stick(m, u);
        return;
    }
    hd_state_step(&m->state, e, woken);
    choose(m, e);
}

static void walk(struct making *m)
{
    const struct hd_trace *t = m->l->t;
    for (hd_eid e = 0; e < m->a1; e++)
        go_on(m, e);
    stick(m, t->thread[m->a1]);
    for (hd_eid e = m->a1 + 1; e < t->n_events; e++) {
        if (hd_op_is_access(t->op[e]) && !is_stuck(m, t->thread[e]) &&
            hd_property_conflict(t, m->a1, e) && hd_state_enabled(&m->state, e)) {
            m->lead->direct = true;
            stick(m, t->thread[e]);
        }
        go_on(m, e);
    }
}

bool hd_leads_make(struct hd_leads *l, size_t i, size_t k, struct hd_lead *lead)
{
    const struct hd_warning *w = hd_leads_warning(l, i);
    const struct hd_trace *t = l->t;
    size_t n = hd_trace_n_threads(t), words = n / 64 + 1;
    HD_ASSERT(k < w->candidates.len);
    const struct hd_candidate *c = hd_vec_at(&w->candidates, k);
    struct making m = {.l = l, .lead = lead, .a1 = c->event};
    *lead = (struct hd_lead){.threads = HD_VEC_INIT(struct hd_steer_thread),
                             .choices = HD_VEC_INIT(struct hd_steer_choice)};
    *(struct hd_steer_thread *)hd_vec_push(&lead->threads) = (struct hd_steer_thread){0};
    if (l->origins.step[m.a1] == 0)
        return false;
    m.stuck = hd_calloc(words, sizeof *m.stuck);
    m.known = hd_calloc(n, sizeof *m.known);
    m.over = hd_calloc(n, sizeof *m.over);
    for (hd_tid u = 0; u < n; u++)
        m.known[u] = thread_of(lead, hd_trace_thread_name(t, u));
    lead->count = l->origins.step[m.a1] - 1;
    lead->writes = hd_op_writes(t->op[m.a1]);
    lead->atomic = hd_op_is_atomic(t->op[m.a1]);
    lead->parked = m.known[t->thread[m.a1]];
    lead->hint = m.known[c->hint];
    bool ok = lead->parked != UINT32_MAX && lead->hint != UINT32_MAX;
    if (ok) {
        hd_state_init(&m.state, &l->layout);
        walk(&m);
        hd_state_fini(&m.state);
    }
    hd_free(m.stuck, words * sizeof *m.stuck);
    hd_free(m.known, n * sizeof *m.known);
    hd_free(m.over, n * sizeof *m.over);
    return ok;
}

void hd_lead_fini(struct hd_lead *lead)
{
    hd_vec_fini(&lead->threads);
    hd_vec_fini(&lead->choices);
}
