#include "predict/orders/certain_int.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "detect/filters/contended.h"

#include <stdlib.h>
#include <string.h>

#define MAX_THREADS  1024 /* with more only the rules for locks hold */
#define MAX_PASSES   4
#define CHAIN_CLOCKS (2 * (HD_CERTAIN_CHAIN + 1))
#define OWN_CLOCKS   (2 * HD_CERTAIN_OWN)

void hd_certain_join(struct hd_certain *c, hd_tid u, const uint32_t *clock)
{
    uint32_t *now = hd_certain_now(c, u);
    for (size_t v = 0; v < c->n; v++)
        if (clock[v] > now[v] && v != u) {
            now[v] = clock[v];
            c->dirty[u] = 1;
        }
}

void hd_certain_join_event(struct hd_certain *c, hd_tid u, hd_eid f)
{
    hd_tid v = c->t->thread[f];
    if (v == u || hd_certain_now(c, u)[v] > c->t->pos[f])
        return;
    hd_certain_join(c, u, hd_certain_clock(c, f));
    hd_certain_now(c, u)[v] = c->t->pos[f] + 1;
    c->dirty[u] = 1;
}

static void store(struct hd_certain *c, hd_eid e)
{
    hd_tid u = c->t->thread[e];
    hd_certain_join(c, u, hd_certain_clock(c, e)); /* of the pass before */
    c->better |= c->dirty[u] &&
                 memcmp(hd_certain_now(c, u), hd_certain_clock(c, e), c->n * sizeof *c->now) != 0;
    if (c->dirty[u]) {
        size_t at = c->pool.len;
        hd_u32vec_reserve(&c->pool, at + c->n);
        memcpy(c->pool.data + at, hd_certain_now(c, u), c->n * sizeof *c->now);
        c->pool.len += c->n;
        c->stored[u] = (uint32_t)(at / c->n);
        c->dirty[u] = 0;
    }
    c->clock_of[e] = c->stored[u];
}

/* ---- what is known before the passes ---- */

static void find_releases(struct hd_certain *c)
{
    const struct hd_trace *t = c->t;
    hd_eid *fence = hd_alloc(c->n * sizeof *fence);
    for (size_t u = 0; u < c->n; u++)
        fence[u] = HD_EID_NONE;
    for (hd_eid e = 0; e < t->n_events; e++) {
        bool releases = hd_certain_order(t, e)->releases;
        c->releases[e] = HD_EID_NONE;
        if (t->op[e] == HD_OP_FENCE && releases)
            fence[t->thread[e]] = e;
        else if (hd_op_is_atomic(t->op[e]) && hd_op_writes(t->op[e]))
            c->releases[e] = releases ? e : fence[t->thread[e]];
    }
    hd_free(fence, c->n * sizeof *fence);
}

static void find_barriers(struct hd_certain *c)
{
    const struct hd_trace *t = c->t;
    for (uint32_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++) {
        size_t n;
        const struct hd_loc_user *users = hd_accesses_users(c->w->barriers, b, &n);
        bool simple = n == t->barrier_size[b];
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = users[i].start; k < users[i].end; k++)
                simple &= (t->op[c->w->barriers->list[k]] == HD_OP_BAROUT) ==
                          (bool)((k - users[i].start) % 2);
        c->barrier[b] = simple;
    }
}

static int by_event(const void *x, const void *y)
{
    const struct hd_certain_due *p = x, *q = y;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return p->read < q->read ? -1 : p->read > q->read;
}

static void add_due(struct hd_certain *c, hd_eid read, uint32_t pos, bool acquires)
{
    *(struct hd_certain_due *)hd_vec_push(&c->due) = (struct hd_certain_due){
        .at = hd_world_event(c->w, c->t->thread[read], pos), .read = read, .acquires = acquires};
}

/* Of reads that others may write to: from where on they must be fresh, and where they acquire. A
 * relaxed load acquires at the next acquiring fence of its thread. */
static void find_due(struct hd_certain *c)
{
    const struct hd_trace *t = c->t;
    uint8_t *contended = hd_contended_new(t);
    uint32_t *fence = hd_alloc(c->n * sizeof *fence); /* by thread: position of the next one */
    for (size_t u = 0; u < c->n; u++)
        fence[u] = UINT32_MAX;
    for (hd_eid e = (hd_eid)t->n_events; e-- > 0;) {
        hd_tid u = t->thread[e];
        bool acquires = hd_certain_order(t, e)->acquires;
        if (t->op[e] == HD_OP_FENCE && acquires)
            fence[u] = t->pos[e];
        if (!hd_op_reads(t->op[e]) || !hd_loc_communicates(contended[t->obj[e]]) ||
            c->w->needed_at[e] == UINT32_MAX)
            continue;
        uint32_t from = c->w->needed_at[e];
        acquires &= hd_op_is_atomic(t->op[e]);
        add_due(c, e, from, acquires);
        if (!acquires && hd_op_is_atomic(t->op[e]) && fence[u] != UINT32_MAX)
            add_due(c, e, fence[u] > from ? fence[u] : from, true);
    }
    if (c->due.len)
        qsort(c->due.data, c->due.len, sizeof(struct hd_certain_due), by_event);
    hd_free(fence, c->n * sizeof *fence);
    hd_contended_free(contended, t);
}

/* ---- locks ---- */

/* The access that shows that a guard was taken stands inside its section, too: it runs only if the
 * guard was, and after what acquires. For sections it opens them, as an acquire does. */
uint32_t hd_certain_opened(const struct hd_sections *s, hd_eid e)
{
    uint32_t id = hd_section_of(s, e);
    if (id == HD_SECTION_NONE || !hd_op_is_access(s->t->op[e]))
        return HD_SECTION_NONE;
    const struct hd_section *x = hd_section_at(s, id);
    return x->open == e && x->lock >= s->n_real ? id : HD_SECTION_NONE;
}

/* Does e stand in a section that excludes x? */
static bool stands_apart(const struct hd_sections *s, const struct hd_section *x, hd_eid e)
{
    uint32_t opened = hd_certain_opened(s, e);
    if (opened != HD_SECTION_NONE && hd_section_excludes(x, hd_section_at(s, opened)))
        return true;
    for (uint32_t k = hd_held(s, e); k != HD_HELD_EMPTY; k = hd_held_at(s, k)->next)
        if (hd_section_excludes(x, hd_section_at(s, hd_held_at(s, k)->section)))
            return true;
    return false;
}

bool hd_certain_excludes(const struct hd_certain *c, hd_eid a, hd_eid b)
{
    const struct hd_sections *s = c->w->sections;
    uint32_t opened = hd_certain_opened(s, a);
    for (uint32_t i = hd_held(s, a); i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, i)->section);
        if (c->sound[x->lock] && stands_apart(s, x, b))
            return true;
    }
    const struct hd_section *own = opened == HD_SECTION_NONE ? NULL : hd_section_at(s, opened);
    return own && c->sound[own->lock] && stands_apart(s, own, b);
}

/* A thread that holds the lock, and comes after a part of another's section, comes after its end.
 */
static bool end_sections(struct hd_certain *c, hd_tid u, const struct hd_section *mine)
{
    const struct hd_sections *s = c->w->sections;
    bool changed = false;
    for (uint32_t i = s->user_start[mine->lock];
         c->sound[mine->lock] && i < s->user_start[mine->lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        uint32_t count = hd_certain_now(c, u)[user->thread];
        uint32_t id =
            user->thread == u || !count ? HD_SECTION_NONE : hd_sections_open_at(s, user, count);
        if (id == HD_SECTION_NONE)
            continue;
        const struct hd_section *other = hd_section_at(s, id);
        if ((other->shared && mine->shared) || other->close == HD_EID_NONE)
            continue;
        hd_certain_join_event(c, u, other->close);
        changed = true;
    }
    return changed;
}

static void locks(struct hd_certain *c, hd_eid e)
{
    const struct hd_sections *s = c->w->sections;
    hd_tid u = c->t->thread[e];
    uint32_t opened = hd_section_of(s, e);
    if (opened != HD_SECTION_NONE && hd_section_at(s, opened)->open != e)
        opened = HD_SECTION_NONE;
    bool changed = c->dirty[u];
    if (!changed && opened != HD_SECTION_NONE)
        changed = end_sections(c, u, hd_section_at(s, opened));
    while (changed) {
        changed = false;
        for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next)
            changed |= end_sections(c, u, hd_section_at(s, hd_held_at(s, n)->section));
        if (opened != HD_SECTION_NONE)
            changed |= end_sections(c, u, hd_section_at(s, opened));
    }
}

/* ---- the rest ---- */

/* The only other thread with events that give, or NULL. */
static const struct hd_loc_user *only_giver(const struct hd_accesses *a, uint32_t obj, hd_tid u)
{
    const struct hd_loc_user *found = NULL;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(a, obj, &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].wstart == users[i].wend)
            continue;
        if (found || users[i].thread == u)
            return NULL;
        found = &users[i];
    }
    return found;
}

/* A gate: no token at the start, and each post but those of one thread comes after a take of its
 * own thread. The post that served a take is of that thread, or follows an earlier take: so every
 * take comes after that thread's first post, which this is. HD_EID_NONE: the semaphore is no gate.
 */
static hd_eid gate(const struct hd_certain *c, uint32_t sem)
{
    const struct hd_accesses *a = c->w->sems;
    hd_eid first = HD_EID_NONE;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(a, sem, &n);
    for (size_t i = 0; i < n && !c->t->sem_init[sem]; i++) {
        if (users[i].wstart == users[i].wend)
            continue;
        hd_eid post = a->writes[users[i].wstart];
        if (hd_accesses_from(a, &users[i], c->t->pos[post]) > users[i].start)
            continue; /* what it used before its first post are takes */
        if (first != HD_EID_NONE)
            return HD_EID_NONE;
        first = post;
    }
    return first;
}

/* The thread's own k takes had k tokens: those that neither the start nor the others gave are of
 * one thread, which has then posted as often. */
static void semaphore(struct hd_certain *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    const struct hd_accesses *a = c->w->sems;
    hd_tid u = t->thread[e];
    hd_eid first = gate(c, t->obj[e]);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(a, t->obj[e], &n);
    uint64_t takes = 1, given = t->sem_init[t->obj[e]];
    for (size_t i = 0; i < n; i++) {
        uint32_t posts = users[i].wend - users[i].wstart;
        given = given > UINT64_MAX - posts ? UINT64_MAX : given + posts;
        if (users[i].thread == u)
            takes += hd_accesses_from(a, &users[i], t->pos[e]) - users[i].start -
                     (hd_accesses_write_from(a, &users[i], t->pos[e]) - users[i].wstart);
    }
    for (size_t i = 0; i < n && given != UINT64_MAX; i++) {
        uint64_t posts = users[i].wend - users[i].wstart, rest = given - posts;
        if (users[i].thread != u && takes > rest && takes - rest <= posts)
            hd_certain_join_event(c, u, a->writes[users[i].wstart + (takes - rest) - 1]);
    }
    if (first != HD_EID_NONE)
        hd_certain_join_event(c, u, first);
}

static void barrier(struct hd_certain *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    const struct hd_accesses *a = c->w->barriers;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(a, t->obj[e], &n);
    uint32_t round = 0;
    for (size_t i = 0; c->barrier[t->obj[e]] && i < n; i++)
        if (users[i].thread == t->thread[e])
            round = hd_accesses_write_from(a, &users[i], t->pos[e]) - users[i].wstart;
    for (size_t i = 0; round && i < n; i++)
        if (users[i].thread != t->thread[e] && users[i].wend - users[i].wstart >= round)
            hd_certain_join_event(c, t->thread[e], a->writes[users[i].wstart + round - 1]);
}

/* All that may have notified comes from one thread: the first that need not come before the wait.
 */
static void notified(struct hd_certain *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    hd_eid wait = hd_trace_back(t, e, 1);
    const struct hd_loc_user *giver = only_giver(c->w->conds, t->obj[e], t->thread[e]);
    if (!giver)
        return;
    uint32_t i =
        hd_accesses_write_from(c->w->conds, giver, hd_must_clock(c->w->must, wait)[giver->thread]);
    if (i < giver->wend)
        hd_certain_join_event(c, t->thread[e], c->w->conds->writes[i]);
}

static void step(struct hd_certain *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    hd_tid u = t->thread[e];
    size_t n;
    if (t->pos[e] == 0 && t->fork_of[u] != HD_EID_NONE)
        hd_certain_join_event(c, u, t->fork_of[u]);
    if (t->op[e] == HD_OP_JOIN) {
        const hd_eid *events = hd_trace_thread_events(t, t->obj[e], &n);
        if (n)
            hd_certain_join_event(c, u, events[n - 1]);
    } else if (t->op[e] == HD_OP_SEM) {
        semaphore(c, e);
    } else if (t->op[e] == HD_OP_BAROUT) {
        barrier(c, e);
    } else if (t->op[e] == HD_OP_WAKE) {
        notified(c, e);
    }
}

static void pass(struct hd_certain *c)
{
    size_t next = 0;
    memset(c->now, 0, c->n * c->n * sizeof *c->now);
    memset(c->dirty, 0, c->n);
    memset(c->stored, 0, c->n * sizeof *c->stored);
    c->better = false;
    for (hd_eid e = 0; e < c->t->n_events && !hd_stop_often(e); e++) {
        const struct hd_certain_due *d = c->due.data;
        step(c, e);
        for (; next < c->due.len && d[next].at == e; next++)
            hd_certain_fresh(c, &d[next]);
        locks(c, e);
        store(c, e);
        hd_certain_read(c, e);
    }
}

struct hd_certain *hd_certain_new(const struct hd_world *w)
{
    const struct hd_trace *t = w->t;
    size_t n = w->n_threads;
    if (!w->must)
        return NULL;
    struct hd_certain *c = hd_calloc(1, sizeof *c);
    *c = (struct hd_certain){.w = w, .t = t, .n = n, .due = HD_VEC_INIT(struct hd_certain_due)};
    c->clock_of = hd_calloc(t->n_events, sizeof *c->clock_of);
    c->releases = hd_alloc(t->n_events * sizeof *c->releases);
    c->now = hd_alloc(n <= MAX_THREADS ? n * n * sizeof *c->now : 0);
    c->dirty = hd_alloc(n);
    c->stored = hd_alloc(n * sizeof *c->stored);
    c->low = hd_alloc(n * sizeof *c->low);
    c->part = hd_alloc(n * sizeof *c->part);
    c->chain = hd_alloc(CHAIN_CLOCKS * n * sizeof *c->chain);
    c->own = hd_alloc(OWN_CLOCKS * n * sizeof *c->own);
    c->next_store = hd_alloc(w->locs->n_writes * sizeof *c->next_store);
    c->near = hd_calloc(w->locs->users.len, sizeof *c->near);
    c->value_near = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *c->value_near);
    c->sound = hd_alloc(w->sections->n_locks);
    c->barrier = hd_calloc(hd_trace_n_objs(t, HD_OBJ_BARRIER), 1);
    hd_u32vec_reserve(&c->pool, n);
    memset(c->pool.data, 0, n * sizeof *c->pool.data);
    c->pool.len = n;
    find_releases(c);
    hd_certain_find_sound(c);
    hd_certain_rows_init(c);
    find_barriers(c);
    find_due(c);
    c->better = n <= MAX_THREADS;
    for (int i = 0; i < MAX_PASSES && c->better; i++)
        pass(c);
    return c;
}

void hd_certain_free(struct hd_certain *c)
{
    if (!c)
        return;
    size_t n = c->n, events = c->t->n_events;
    hd_free(c->clock_of, events * sizeof *c->clock_of);
    hd_free(c->releases, events * sizeof *c->releases);
    hd_free(c->now, n <= MAX_THREADS ? n * n * sizeof *c->now : 0);
    hd_free(c->dirty, n);
    hd_free(c->stored, n * sizeof *c->stored);
    hd_free(c->low, n * sizeof *c->low);
    hd_free(c->part, n * sizeof *c->part);
    hd_free(c->chain, CHAIN_CLOCKS * n * sizeof *c->chain);
    hd_free(c->own, OWN_CLOCKS * n * sizeof *c->own);
    hd_free(c->next_store, c->w->locs->n_writes * sizeof *c->next_store);
    hd_free(c->near, c->w->locs->users.len * sizeof *c->near);
    hd_free(c->value_near, hd_trace_n_objs(c->t, HD_OBJ_LOC) * sizeof *c->value_near);
    hd_free(c->sound, c->w->sections->n_locks);
    hd_free(c->barrier, hd_trace_n_objs(c->t, HD_OBJ_BARRIER));
    hd_u32vec_fini(&c->pool);
    hd_vec_fini(&c->due);
    hd_free(c, sizeof *c);
}

bool hd_certain_before(const struct hd_certain *c, hd_eid a, hd_eid b)
{
    HD_DCHECK(a < b && b < c->t->n_events);
    hd_tid u = c->t->thread[a];
    return u == c->t->thread[b] || hd_certain_clock(c, b)[u] > c->t->pos[a];
}
