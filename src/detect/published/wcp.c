/* Weak causally-precedes (Kini, Mathur, Viswanathan 2017), the smallest relation < with
 *   (a) a release r < e if e, inside a section of the same lock, conflicts with an access of r's
 * section; (b) r1 < r2 for releases of one lock if an event of r1's section comes before one of
 * r2's by < or by the recorded orders; (c) < closed under happens-before on either side. One walk.
 * For (b) every lock keeps, for each thread and side, its ended sections in order; each other
 * thread that uses the lock has a place in that queue, since what has been taken once is known for
 * good. A queue is cut where all its readers have passed. */
#include "base/alloc.h"
#include "detect/published/causal.h"
#include "detect/published/conflicts.h"
#include "detect/detect_int.h"
#include "detect/published/history.h"

#include <string.h>

struct ended {
    uint32_t acq_pos;
    struct hd_stamp rel;
};

/* Ended sections of one lock by one thread and side. */
struct queue {
    hd_tid thread;
    bool write;
    struct ended *item;
    uint32_t n, cap, base; /* item[0] is number base of the whole queue */
    uint32_t trim_at;      /* length at which cutting is tried next */
};

/* A thread that uses the lock, and how far it has come in each queue. */
struct user {
    hd_tid thread;
    hd_eid last_use; /* its last event on the lock */
    uint32_t *place; /* by queue; n_places of them, further ones are 0 */
    uint32_t n_places;
};

struct lock {
    struct queue *queue;
    uint32_t n_queues;
    struct user *user;
    uint32_t n_users;
};

struct walk {
    const struct hd_trace *t;
    struct hd_edges edges;
    struct hd_causal causal;
    struct hd_outer_sections sections;
    struct hd_conflicts conflicts;
    struct hd_history history;
    struct lock *lock;
};

static struct user *user_of(struct lock *l, hd_tid u)
{
    for (uint32_t i = 0; i < l->n_users; i++)
        if (l->user[i].thread == u)
            return &l->user[i];
    return NULL;
}

static void find_users(struct walk *w, uint32_t id)
{
    const struct hd_trace *t = w->t;
    struct lock *l = &w->lock[id];
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, id, &n);
    for (size_t i = 0; i < n; i++) {
        struct user *user = user_of(l, t->thread[events[i]]);
        if (!user) {
            l->user = hd_realloc(l->user, l->n_users * sizeof *l->user,
                                 (l->n_users + 1) * sizeof *l->user);
            user = &l->user[l->n_users++];
            *user = (struct user){.thread = t->thread[events[i]]};
        }
        user->last_use = events[i];
    }
}

static struct queue *queue_of(struct lock *l, hd_tid u, bool write)
{
    for (uint32_t i = 0; i < l->n_queues; i++)
        if (l->queue[i].thread == u && l->queue[i].write == write)
            return &l->queue[i];
    l->queue =
        hd_realloc(l->queue, l->n_queues * sizeof *l->queue, (l->n_queues + 1) * sizeof *l->queue);
    l->queue[l->n_queues] = (struct queue){.thread = u, .write = write, .trim_at = 16};
    return &l->queue[l->n_queues++];
}

static uint32_t *place_in(struct user *user, uint32_t queue, uint32_t n_queues)
{
    if (user->n_places < n_queues) {
        user->place = hd_realloc(user->place, user->n_places * sizeof *user->place,
                                 n_queues * sizeof *user->place);
        memset(user->place + user->n_places, 0, (n_queues - user->n_places) * sizeof *user->place);
        user->n_places = n_queues;
    }
    return &user->place[queue];
}

/* Cuts what every thread that still uses the lock has passed. */
static void trim(struct walk *w, struct lock *l, uint32_t queue, hd_eid now)
{
    struct queue *q = &l->queue[queue];
    uint32_t least = q->base + q->n;
    for (uint32_t i = 0; i < l->n_users; i++) {
        struct user *user = &l->user[i];
        if (user->thread == q->thread || user->last_use < now)
            continue;
        uint32_t place = *place_in(user, queue, l->n_queues);
        if (place < least)
            least = place;
    }
    uint32_t cut = least > q->base ? least - q->base : 0;
    for (uint32_t i = 0; i < cut; i++)
        hd_stamp_clear(&w->causal.pool, &q->item[i].rel);
    q->n -= cut;
    q->base += cut;
    memmove(q->item, q->item + cut, q->n * sizeof *q->item);
    q->trim_at = q->n < 8 ? 16 : q->n * 2;
}

static void enqueue(struct walk *w, const struct hd_outer_section *s, const struct hd_stamp *rel)
{
    struct lock *l = &w->lock[s->lock];
    struct queue *q = queue_of(l, s->thread, s->write);
    if (q->n >= q->trim_at)
        trim(w, l, (uint32_t)(q - l->queue), s->rel);
    if (q->n == q->cap) {
        uint32_t cap = q->cap ? q->cap * 2 : 8;
        q->item = hd_realloc(q->item, q->cap * sizeof *q->item, cap * sizeof *q->item);
        q->cap = cap;
    }
    q->item[q->n] = (struct ended){.acq_pos = s->acq_pos};
    hd_stamp_set(&w->causal.pool, &q->item[q->n++].rel, rel->clock, rel->thread, rel->tick);
}

/* Moves on in a queue past all sections whose acquire is known, and follows the last of them. */
static bool take_queue(struct walk *w, hd_tid u, const struct queue *q, uint32_t *place)
{
    uint32_t at = *place > q->base ? *place - q->base : 0, start = at;
    while (at < q->n && q->item[at].acq_pos < w->causal.thread[u].known->v[q->thread])
        at++;
    *place = q->base + at;
    return at > start && hd_causal_follow(&w->causal, u, &q->item[at - 1].rel);
}

/* Rule (b) at the end of section s. */
static void rule_b(struct walk *w, const struct hd_outer_section *s)
{
    struct lock *l = &w->lock[s->lock];
    struct user *user = user_of(l, s->thread);
    bool more = l->n_users > 1;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < l->n_queues; i++) {
            const struct queue *q = &l->queue[i];
            if (q->thread != s->thread && (q->write || s->write))
                more |= take_queue(w, s->thread, q, place_in(user, i, l->n_queues));
        }
    }
}

static void rule_a(void *ctx, const struct hd_mark *mark, uint32_t section)
{
    struct walk *w = ctx;
    const struct hd_outer_section *s = hd_outer_section_at(&w->sections, section);
    hd_causal_follow(&w->causal, s->thread, &mark->stamp);
}

static void end_section(struct walk *w, hd_eid e, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&w->sections, id);
    rule_b(w, s);
    struct hd_stamp rel = {w->causal.thread[s->thread].hb, w->t->pos[e] + 1, s->thread};
    hd_conflicts_close(&w->conflicts, s, id, &rel);
    if (w->lock[s->lock].n_users > 1)
        enqueue(w, s, &rel);
}

static void step(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_causal_enter(&w->causal, e);
    if (hd_op_is_access(t->op[e])) {
        const struct hd_causal_thread *th = &w->causal.thread[t->thread[e]];
        hd_conflicts_access(&w->conflicts, e, rule_a, w);
        hd_history_access(&w->history, e, th->known->v, th->version);
    } else if (t->op[e] != HD_OP_BRANCH) {
        struct hd_outer_section_step s = hd_outer_sections_pass(&w->sections, e);
        if (s.closed != HD_SECTION_NONE)
            end_section(w, e, s.closed);
        if (s.opened != HD_SECTION_NONE)
            hd_conflicts_open(&w->conflicts, hd_outer_section_at(&w->sections, s.opened), s.opened);
    }
    hd_causal_leave(&w->causal, e);
}

static void free_lock(struct walk *w, struct lock *l)
{
    for (uint32_t i = 0; i < l->n_queues; i++) {
        struct queue *q = &l->queue[i];
        for (uint32_t k = 0; k < q->n; k++)
            hd_stamp_clear(&w->causal.pool, &q->item[k].rel);
        hd_free(q->item, q->cap * sizeof *q->item);
    }
    for (uint32_t i = 0; i < l->n_users; i++)
        hd_free(l->user[i].place, l->user[i].n_places * sizeof *l->user[i].place);
    hd_free(l->queue, l->n_queues * sizeof *l->queue);
    hd_free(l->user, l->n_users * sizeof *l->user);
}

enum hd_status hd_detect_wcp(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err)
{
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    struct walk w = {.t = t};
    hd_edges_init(&w.edges, t);
    hd_causal_init(&w.causal, t, &w.edges);
    hd_outer_sections_init(&w.sections, t);
    hd_conflicts_init(&w.conflicts, t, &w.causal.pool);
    hd_history_init(&w.history, t, opts, r, NULL);
    w.lock = hd_calloc(locks, sizeof *w.lock);
    for (uint32_t l = 0; l < locks; l++)
        find_users(&w, l);
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&w.history.sink, e); e++)
        step(&w, (hd_eid)e);
    for (size_t l = 0; l < locks; l++)
        free_lock(&w, &w.lock[l]);
    hd_free(w.lock, locks * sizeof *w.lock);
    hd_conflicts_fini(&w.conflicts);
    hd_outer_sections_fini(&w.sections);
    hd_causal_fini(&w.causal);
    hd_edges_fini(&w.edges);
    return hd_history_finish(&w.history, err);
}
