#include "predict/search/cone.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <string.h>

void hd_cone_init(struct hd_cone *c, const struct hd_world *w)
{
    *c = (struct hd_cone){.w = w};
    c->cut = hd_calloc(w->n_threads, sizeof *c->cut);
    c->seen = hd_calloc(w->n_threads, sizeof *c->seen);
    c->may_need = hd_calloc(w->n_threads, sizeof *c->may_need);
    c->parked = hd_calloc(w->n_threads, 1);
    c->again = hd_calloc(w->n_threads, 1);
}

void hd_cone_fini(struct hd_cone *c)
{
    hd_free(c->cut, c->w->n_threads * sizeof *c->cut);
    hd_free(c->seen, c->w->n_threads * sizeof *c->seen);
    hd_free(c->may_need, c->w->n_threads * sizeof *c->may_need);
    hd_free(c->parked, c->w->n_threads);
    hd_free(c->again, c->w->n_threads);
}

/* Whether e can run at all while the stops have not. */
static bool can_run(const struct hd_cone *c, hd_eid e)
{
    for (uint32_t i = 0; i < c->goal.n_stops; i++)
        if (e == c->goal.stops[i] || hd_world_before(c->w, c->goal.stops[i], e))
            return false;
    return true;
}

/* Adds an event that may help. What it needs is added with it. True when it can run. */
static bool add(struct hd_cone *c, hd_eid e)
{
    const struct hd_trace *t = c->w->t;
    if (hd_cone_has(c, e))
        return true;
    if (!can_run(c, e))
        return false;
    const uint32_t *clock = hd_must_clock(c->w->must, e);
    for (hd_tid u = 0; u < c->w->n_threads; u++) {
        uint32_t count = u == t->thread[e] ? t->pos[e] + 1 : clock[u];
        if (count > c->cut[u]) {
            c->cut[u] = count;
            c->again[u] = 1; /* a new event may need reads that were not needed before */
        }
    }
    c->changed = true;
    return true;
}

/* All that gives (writes, posts, ...) on an object; of other threads, and not after e. */
static void add_givers(struct hd_cone *c, const struct hd_accesses *index, hd_eid e)
{
    const struct hd_trace *t = c->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, t->obj[e], &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread == t->thread[e])
            continue;
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++)
            if (hd_world_before(c->w, e, index->writes[k]) || !add(c, index->writes[k]))
                break;
    }
}

/* A possible source must store its traced value: the reads it depends on may have to be fresh. */
static void add_source(struct hd_cone *c, hd_eid write)
{
    const struct hd_trace *t = c->w->t;
    if (!add(c, write))
        return;
    struct hd_deps deps = hd_trace_deps(t, write, HD_DEP_VALUE);
    uint32_t limit = deps.all ? t->pos[write] + 1 : 0;
    for (uint32_t i = 0; i < deps.n; i++) {
        uint32_t below = t->pos[write] - deps.dist[i] + 1;
        limit = below > limit ? below : limit;
    }
    if (limit > c->may_need[t->thread[write]]) {
        c->may_need[t->thread[write]] = limit;
        c->again[t->thread[write]] = 1;
        c->changed = true;
    }
}

static void add_sources(struct hd_cone *c, hd_eid r)
{
    const struct hd_trace *t = c->w->t;
    const struct hd_accesses *locs = c->w->locs;
    struct hd_value value = hd_trace_read_value(t, r);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, t->obj[r], &n);
    for (size_t i = 0; i < n; i++) {
        bool own = users[i].thread == t->thread[r];
        uint32_t limit = own ? t->pos[r] : hd_must_clock(c->w->must, r)[users[i].thread];
        uint32_t k = hd_accesses_write_from(locs, &users[i], limit);
        uint32_t end = own ? k : users[i].wend;
        for (k -= k > users[i].wstart; k < end; k++) {
            hd_eid w = locs->writes[k];
            if (!own && (hd_world_before(c->w, r, w) || !can_run(c, w)))
                break;
            if (hd_value_eq(hd_trace_write_value(t, w), value))
                add_source(c, w);
        }
    }
}

static void add_sections(struct hd_cone *c, hd_eid tryfail)
{
    const struct hd_trace *t = c->w->t;
    const struct hd_sections *s = c->w->sections;
    uint32_t lock = t->obj[tryfail];
    for (uint32_t i = s->user_start[lock]; i < s->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        for (uint32_t k = user->start; k < user->end && user->thread != t->thread[tryfail]; k++)
            if (!add(c, hd_section_at(s, s->order[k])->open))
                break;
    }
}

/* A time-out needs every signal that comes by to pick another thread. */
static void add_waiters(struct hd_cone *c, hd_eid tmo)
{
    const struct hd_trace *t = c->w->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, t->obj[tmo], &n);
    for (size_t i = 0; i < n; i++)
        if (t->op[events[i]] == HD_OP_WAIT)
            add(c, events[i]);
}

/* Whether the read may have to be fresh in a witness within the cone. */
static bool may_need(const struct hd_cone *c, hd_eid r)
{
    const struct hd_trace *t = c->w->t;
    hd_tid u = t->thread[r];
    uint32_t at = c->w->needed_at[r];
    return at < c->cut[u] || (c->parked[u] && at == c->cut[u]) || t->pos[r] < c->may_need[u];
}

static void add_helpers(struct hd_cone *c, hd_eid e)
{
    const struct hd_trace *t = c->w->t;
    const struct hd_sections *s = c->w->sections;
    uint32_t section = hd_section_of(s, e);
    if (section != HD_SECTION_NONE && hd_section_at(s, section)->open == e &&
        hd_section_at(s, section)->close != HD_EID_NONE)
        add(c, hd_section_at(s, section)->close);
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_READ:
    case HD_OP_AREAD:
    case HD_OP_RMW:
        if (may_need(c, e))
            add_sources(c, e);
        break;
    case HD_OP_TRYFAIL:
        add_sections(c, e);
        break;
    case HD_OP_WAKE:
        add_givers(c, c->w->conds, e);
        break;
    case HD_OP_TMO:
        add_waiters(c, e);
        break;
    case HD_OP_SEM:
        add_givers(c, c->w->sems, e);
        break;
    case HD_OP_BAROUT:
        add_givers(c, c->w->barriers, e);
        break;
    default:
        break;
    }
}

static bool late(double deadline)
{
    return hd_interrupt_requested() || (deadline != 0 && hd_progress_now() >= deadline);
}

/* Looks at the events of u that were not looked at yet, or at all of them when some may have
 * changed meanwhile: once for all changes, since each change alone would make it quadratic. */
static bool look_at(struct hd_cone *c, hd_tid u, double deadline)
{
    enum { EACH = 4096 };
    if (c->again[u])
        c->seen[u] = 0;
    c->again[u] = 0;
    while (c->seen[u] < c->cut[u]) {
        add_helpers(c, hd_world_event(c->w, u, c->seen[u]++));
        if (c->seen[u] % EACH == 0 && late(deadline))
            return false;
    }
    return true;
}

bool hd_cone_build(struct hd_cone *c, const struct hd_goal *goal, const uint32_t *cut,
                   double deadline)
{
    size_t bytes = c->w->n_threads * sizeof *c->cut;
    c->goal = *goal;
    memset(c->parked, 0, c->w->n_threads);
    memset(c->again, 0, c->w->n_threads);
    for (uint32_t i = 0; i < goal->n_stops; i++)
        c->parked[c->w->t->thread[goal->stops[i]]] = 1;
    memcpy(c->cut, cut, bytes);
    memset(c->seen, 0, bytes);
    memset(c->may_need, 0, bytes);
    do {
        c->changed = false;
        for (hd_tid u = 0; u < c->w->n_threads; u++)
            if (!look_at(c, u, deadline))
                return false;
    } while (c->changed);
    return true;
}

size_t hd_cone_size(const struct hd_cone *c)
{
    size_t size = 0;
    for (hd_tid u = 0; u < c->w->n_threads; u++)
        size += c->cut[u];
    return size;
}
