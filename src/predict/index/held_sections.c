#include "predict/index/held_sections.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/stop.h"

#include <stdlib.h>
#include <string.h>

/* What a thread does with a lock at the moment. */
struct use {
    uint32_t depth[2];   /* re-entrant depth: [0] exclusive, [1] shared */
    uint32_t section[2]; /* the open section of each mode */
    uint32_t waiting;    /* depth to come back to after a wait */
};

struct scan {
    struct hd_sections *s;
    struct hd_map use_ids;  /* thread << 32 | lock to an index into uses */
    struct hd_vec uses;     /* struct use */
    struct hd_map set_ids;  /* hash of a lock set to a node that has it */
    struct hd_vec hashes;   /* uint64_t, by node: of its lock set, whatever the order */
    struct hd_u32vec above; /* scratch: the sections before the one that is taken out */
    struct hd_u32vec members[2];
    struct hd_map guard_at; /* event: the section of a guard that it opens or closes */
};

static struct use *use_of(struct scan *c, hd_tid thread, uint32_t lock)
{
    bool fresh;
    uint32_t *id = hd_map_put(&c->use_ids, (uint64_t)thread << 32 | lock, &fresh);
    if (fresh) {
        *id = (uint32_t)c->uses.len;
        *(struct use *)hd_vec_push(&c->uses) = (struct use){0};
    }
    return hd_vec_at(&c->uses, *id);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The (lock, shared) members of a list, sorted. */
static void members_of(const struct hd_sections *s, uint32_t node, struct hd_u32vec *members)
{
    members->len = 0;
    for (; node != HD_HELD_EMPTY; node = hd_held_at(s, node)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, node)->section);
        hd_u32vec_push(members, x->lock * 2 + x->shared);
    }
    qsort(members->data, members->len, sizeof *members->data, by_number);
}

/* Whether two lists hold the same locks. Mostly they are the same down to a node whose set is known
 * to be equal; else they are compared member by member. */
static bool same_set(struct scan *c, uint32_t a, uint32_t b)
{
    const struct hd_sections *s = c->s;
    const struct hd_held_node *x = hd_held_at(s, a), *y = hd_held_at(s, b);
    const struct hd_section *p = hd_section_at(s, x->section), *q = hd_section_at(s, y->section);
    struct hd_u32vec *mine = &c->members[0], *other = &c->members[1];
    uint32_t below = x->next == HD_HELD_EMPTY ? 0 : s->lockset.data[x->next];
    if (p->lock == q->lock && p->shared == q->shared &&
        below == (y->next == HD_HELD_EMPTY ? 0 : s->lockset.data[y->next]))
        return true;
    members_of(s, a, mine);
    members_of(s, b, other);
    return mine->len == other->len &&
           !memcmp(mine->data, other->data, mine->len * sizeof *mine->data);
}

/* Equal sets get equal ids; the map goes from a hash to the first node with that set. */
static uint32_t set_id(struct scan *c, uint32_t node)
{
    for (uint64_t hash = *(uint64_t *)hd_vec_at(&c->hashes, node);; hash++) {
        bool fresh;
        uint32_t *first = hd_map_put(&c->set_ids, hash, &fresh);
        if (fresh)
            *first = node;
        if (*first == node)
            return (uint32_t)c->set_ids.len;
        if (same_set(c, node, *first))
            return c->s->lockset.data[*first];
    }
}

static uint32_t add_node(struct scan *c, uint32_t section, uint32_t next)
{
    const struct hd_section *x = hd_section_at(c->s, section);
    uint64_t below = next == HD_HELD_EMPTY ? 0 : *(uint64_t *)hd_vec_at(&c->hashes, next);
    *(struct hd_held_node *)hd_vec_push(&c->s->nodes) = (struct hd_held_node){section, next};
    *(uint64_t *)hd_vec_push(&c->hashes) =
        below + hd_hash_mix((uint64_t)x->lock * 2 + x->shared + 1);
    uint32_t node = (uint32_t)(c->s->nodes.len - 1);
    hd_u32vec_push(&c->s->lockset, set_id(c, node));
    return node;
}

/* The list without one section. Those that stood before it are put back in the opposite order: who
 * gives locks back in the order in which they were taken finds the next one first. */
static uint32_t without(struct scan *c, uint32_t node, uint32_t section)
{
    c->above.len = 0;
    for (; hd_held_at(c->s, node)->section != section; node = hd_held_at(c->s, node)->next)
        hd_u32vec_push(&c->above, hd_held_at(c->s, node)->section);
    node = hd_held_at(c->s, node)->next;
    for (size_t i = 0; i < c->above.len; i++)
        node = add_node(c, c->above.data[i], node);
    return node;
}

/* What the thread holds now. */
static uint32_t held_now(const struct scan *c, hd_tid thread)
{
    const struct hd_u32vec *held = &c->s->steps[thread].held;
    return held->len ? held->data[held->len - 1] : HD_HELD_EMPTY;
}

/* From e on, which opens or closes the section, its thread holds this. */
static void step(struct scan *c, hd_eid e, uint32_t section, uint32_t held)
{
    struct hd_section_steps *steps = &c->s->steps[c->s->t->thread[e]];
    hd_marks_add(&steps->at, c->s->t->pos[e]);
    hd_u32vec_push(&steps->held, held);
    hd_u32vec_push(&steps->section, section);
}

static void open_section(struct scan *c, hd_eid e, uint32_t lock, struct use *use, bool shared)
{
    const struct hd_trace *t = c->s->t;
    uint32_t id = (uint32_t)c->s->list.len;
    *(struct hd_section *)hd_vec_push(&c->s->list) =
        (struct hd_section){e, HD_EID_NONE, lock, t->thread[e], shared, false};
    use->section[shared] = id;
    if (use->depth[!shared])
        c->s->mixed[lock] = 1;
    step(c, e, id, add_node(c, id, held_now(c, t->thread[e])));
}

static void close_section(struct scan *c, hd_eid e, struct use *use, bool shared)
{
    uint32_t id = use->section[shared];
    ((struct hd_section *)hd_vec_at(&c->s->list, id))->close = e;
    step(c, e, id, without(c, held_now(c, c->s->t->thread[e]), id));
}

static void scan_event(struct scan *c, hd_eid e)
{
    const struct hd_trace *t = c->s->t;
    uint32_t lock = hd_trace_lock(t, e);
    struct use *use = use_of(c, t->thread[e], lock);
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
        if (use->depth[t->op[e] == HD_OP_RACQ]++ == 0)
            open_section(c, e, lock, use, t->op[e] == HD_OP_RACQ);
        break;
    case HD_OP_REL:
    case HD_OP_RREL:
        if (--use->depth[t->op[e] == HD_OP_RREL] == 0)
            close_section(c, e, use, t->op[e] == HD_OP_RREL);
        break;
    case HD_OP_WAIT:
        use->waiting = use->depth[0];
        use->depth[0] = 0;
        close_section(c, e, use, false);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        use->depth[0] = use->waiting;
        open_section(c, e, lock, use, false);
        break;
    case HD_OP_TRYFAIL:
        c->s->tried[lock] = 1;
        break;
    default:
        break;
    }
}

static bool touches_lock(enum hd_op op)
{
    return hd_op_info[op].kind == HD_OBJ_LOCK || hd_op_info[op].has_lock;
}

static size_t sort_key(const struct hd_section *x, bool by_lock)
{
    return by_lock ? x->lock : x->thread;
}

/* Puts the sections of `from` into `to` by one key, equal ones in the order they had. */
static void distribute(const struct hd_sections *s, bool by_lock, size_t keys, const uint32_t *from,
                       uint32_t *to)
{
    size_t n = s->list.len;
    uint32_t *start = hd_calloc(keys + 1, sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[sort_key(hd_section_at(s, from[i]), by_lock) + 1]++;
    for (size_t key = 0; key < keys; key++)
        start[key + 1] += start[key];
    for (size_t i = 0; i < n; i++)
        to[start[sort_key(hd_section_at(s, from[i]), by_lock)]++] = from[i];
    hd_free(start, (keys + 1) * sizeof *start);
}

/* By lock, thread and open: the list is by open. */
static void sort_order(struct hd_sections *s)
{
    size_t n = s->list.len;
    uint32_t *by_thread = hd_alloc(n * sizeof *by_thread);
    s->order = hd_alloc(n * sizeof *s->order);
    s->reach = hd_alloc(n * sizeof *s->reach);
    for (uint32_t i = 0; i < n; i++)
        s->order[i] = i;
    distribute(s, false, hd_trace_n_threads(s->t), s->order, by_thread);
    distribute(s, true, s->n_locks, by_thread, s->order);
    hd_free(by_thread, n * sizeof *by_thread);
}

/* Where the last of the first sections of a user ends, in its thread. */
static uint32_t reach_of(const struct hd_sections *s, const struct hd_section *x, uint32_t before)
{
    uint32_t end = x->close == HD_EID_NONE ? UINT32_MAX : s->t->pos[x->close];
    return end > before ? end : before;
}

static void group_users(struct hd_sections *s)
{
    size_t n = s->list.len, locks = s->n_locks;
    sort_order(s);
    s->user_start = hd_calloc(locks + 1, sizeof *s->user_start);
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_section *x = hd_section_at(s, s->order[i]);
        const struct hd_section *prev = i ? hd_section_at(s, s->order[i - 1]) : NULL;
        if (!prev || prev->lock != x->lock || prev->thread != x->thread) {
            *(struct hd_lock_user *)hd_vec_push(&s->users) = (struct hd_lock_user){x->thread, i, i};
            s->user_start[x->lock + 1]++;
            prev = NULL;
        }
        s->reach[i] = reach_of(s, x, prev ? s->reach[i - 1] : 0);
        ((struct hd_lock_user *)hd_vec_at(&s->users, s->users.len - 1))->end = i + 1;
    }
    for (size_t lock = 0; lock < locks; lock++)
        s->user_start[lock + 1] += s->user_start[lock];
}

/* Which event opens or closes which section of a guard. An event that would do two such things does
 * the first; the other section is left out. */
static void index_guards(struct scan *c, const struct hd_vec *guards)
{
    for (size_t i = 0; i < guards->len; i++) {
        const struct hd_section *x = hd_vec_at(guards, i);
        uint32_t other;
        bool fresh;
        if (hd_map_get(&c->guard_at, x->open, &other) ||
            (x->close != HD_EID_NONE && hd_map_get(&c->guard_at, x->close, &other)))
            continue;
        *hd_map_put(&c->guard_at, x->open, &fresh) = (uint32_t)i;
        if (x->close != HD_EID_NONE)
            *hd_map_put(&c->guard_at, x->close, &fresh) = (uint32_t)i;
    }
}

static void scan_guard(struct scan *c, const struct hd_vec *guards, hd_eid e)
{
    uint32_t index;
    if (!hd_map_get(&c->guard_at, e, &index))
        return;
    const struct hd_section *x = hd_vec_at(guards, index);
    uint32_t lock = (uint32_t)c->s->n_real + x->lock;
    struct use *use = use_of(c, x->thread, lock);
    if (x->open != e) {
        close_section(c, e, use, x->shared);
        return;
    }
    open_section(c, e, lock, use, x->shared);
    ((struct hd_section *)hd_vec_at(&c->s->list, c->s->list.len - 1))->several = x->several;
}

static void init_steps(struct hd_sections *s)
{
    size_t n, threads = hd_trace_n_threads(s->t);
    s->steps = hd_calloc(threads, sizeof *s->steps);
    for (hd_tid u = 0; u < threads; u++) {
        hd_trace_thread_events(s->t, u, &n);
        hd_marks_init(&s->steps[u].at, n);
    }
}

/* Nothing is added any more. */
static void trim(struct hd_sections *s)
{
    for (size_t u = 0; u < hd_trace_n_threads(s->t); u++) {
        hd_u32vec_trim(&s->steps[u].held);
        hd_u32vec_trim(&s->steps[u].section);
    }
    hd_vec_trim(&s->list);
    hd_vec_trim(&s->nodes);
    hd_u32vec_trim(&s->lockset);
}

struct hd_sections *hd_sections_new(const struct hd_trace *t, const struct hd_vec *guards,
                                    size_t n_guards)
{
    struct hd_sections *s = hd_calloc(1, sizeof *s);
    s->t = t;
    s->n_real = hd_trace_n_objs(t, HD_OBJ_LOCK);
    s->n_locks = s->n_real + n_guards;
    s->list = HD_VEC_INIT(struct hd_section);
    s->nodes = HD_VEC_INIT(struct hd_held_node);
    s->users = HD_VEC_INIT(struct hd_lock_user);
    s->mixed = hd_calloc(s->n_locks, 1);
    s->tried = hd_calloc(s->n_locks, 1);
    struct scan c = {.s = s, .uses = HD_VEC_INIT(struct use), .hashes = HD_VEC_INIT(uint64_t)};
    init_steps(s);
    if (guards)
        index_guards(&c, guards);
    for (hd_eid e = 0; e < t->n_events && !hd_stop_often(e); e++) {
        if (touches_lock(t->op[e]))
            scan_event(&c, e);
        else if (c.guard_at.len)
            scan_guard(&c, guards, e);
    }
    hd_vec_fini(&c.uses);
    hd_map_fini(&c.use_ids);
    hd_map_fini(&c.set_ids);
    hd_vec_fini(&c.hashes);
    hd_u32vec_fini(&c.above);
    hd_map_fini(&c.guard_at);
    hd_u32vec_fini(&c.members[0]);
    hd_u32vec_fini(&c.members[1]);
    trim(s);
    if (hd_stop_now() == HD_STOP_NO)
        group_users(s);
    return s;
}

void hd_sections_free(struct hd_sections *s)
{
    if (!s)
        return;
    size_t threads = hd_trace_n_threads(s->t);
    for (size_t u = 0; u < threads; u++) {
        hd_marks_fini(&s->steps[u].at);
        hd_u32vec_fini(&s->steps[u].held);
        hd_u32vec_fini(&s->steps[u].section);
    }
    hd_free(s->steps, threads * sizeof *s->steps);
    hd_free(s->owned, s->owned ? s->t->n_events : 0);
    hd_free(s->mixed, s->n_locks);
    hd_free(s->tried, s->n_locks);
    hd_free(s->order, s->order ? s->list.len * sizeof *s->order : 0);
    hd_free(s->reach, s->reach ? s->list.len * sizeof *s->reach : 0);
    hd_free(s->user_start, s->user_start ? (s->n_locks + 1) * sizeof *s->user_start : 0);
    hd_vec_fini(&s->list);
    hd_vec_fini(&s->nodes);
    hd_vec_fini(&s->users);
    hd_u32vec_fini(&s->lockset);
    hd_free(s, sizeof *s);
}

/* Beyond this many comparisons a table is made of one of two lists. */
enum { MOST_COMPARED = 4096 };

/* What held_exclude asks, for long lists. */
static bool exclude_by_table(const struct hd_sections *s, uint32_t a, uint32_t b)
{
    struct hd_map modes = {0}; /* by lock: 1 shared, 2 exclusive */
    bool excludes = false;
    for (uint32_t i = a; i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, i)->section);
        *hd_map_put(&modes, x->lock, NULL) |= x->shared ? 1 : 2;
    }
    for (uint32_t j = b; j != HD_HELD_EMPTY && !excludes; j = hd_held_at(s, j)->next) {
        const struct hd_section *y = hd_section_at(s, hd_held_at(s, j)->section);
        uint32_t mode;
        excludes = hd_map_get(&modes, y->lock, &mode) && (!y->shared || mode & 2);
    }
    hd_map_fini(&modes);
    return excludes;
}

/* True when two threads can not hold these two lists at the same time. */
static bool held_exclude(const struct hd_sections *s, uint32_t a, uint32_t b)
{
    uint32_t compared = 0;
    for (uint32_t i = a; i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, i)->section);
        for (uint32_t j = b; j != HD_HELD_EMPTY; j = hd_held_at(s, j)->next) {
            const struct hd_section *y = hd_section_at(s, hd_held_at(s, j)->section);
            if (x->lock == y->lock && !(x->shared && y->shared))
                return true;
            if (++compared > MOST_COMPARED)
                return exclude_by_table(s, a, b);
        }
    }
    return false;
}

static bool alone(uint32_t a, uint32_t b)
{
    return a && b && (a == HD_OWNED_ALONE || b == HD_OWNED_ALONE);
}

/* Of both views of hd_sections.owned. */
static bool owned_apart(uint32_t a, uint32_t b)
{
    return alone(a % HD_OWNED_VIEW, b % HD_OWNED_VIEW) ||
           alone(a / HD_OWNED_VIEW, b / HD_OWNED_VIEW);
}

bool hd_sections_sets_exclude(const struct hd_sections *s, hd_eid a, hd_eid b)
{
    return (s->owned && s->t->obj[a] == s->t->obj[b] && owned_apart(s->owned[a], s->owned[b])) ||
           held_exclude(s, hd_held(s, a), hd_held(s, b));
}

bool hd_sections_locksets_exclude(const struct hd_sections *s, uint32_t x, uint32_t x_held,
                                  uint32_t y, uint32_t y_held)
{
    enum { VIEWS = HD_OWNED_VIEW * HD_OWNED_VIEW };
    return (s->owned && owned_apart(x % VIEWS, y % VIEWS)) || held_exclude(s, x_held, y_held);
}

bool hd_sections_exclude(const struct hd_sections *s, hd_eid a, hd_eid b)
{
    return s->t->thread[a] != s->t->thread[b] && hd_sections_sets_exclude(s, a, b);
}

/* The first place from lo to hi in s->order whose section does not begin before event e. */
static uint32_t not_begun(const struct hd_sections *s, uint32_t lo, uint32_t hi, hd_eid e)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (hd_section_at(s, s->order[mid])->open < e)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t hd_sections_begun(const struct hd_sections *s, const struct hd_lock_user *user,
                           uint32_t count)
{
    size_t n;
    const hd_eid *own = hd_trace_thread_events(s->t, user->thread, &n);
    return count >= n ? user->end : not_begun(s, user->start, user->end, own[count]);
}

/* The same, looked for from place `near` on. */
static uint32_t begun_near(const struct hd_sections *s, const struct hd_lock_user *user,
                           uint32_t count, uint32_t near)
{
    size_t n;
    const hd_eid *own = hd_trace_thread_events(s->t, user->thread, &n);
    uint32_t lo = user->start, hi = user->end, step = 1;
    if (count >= n)
        return hi;
    if (near > lo && hd_section_at(s, s->order[near - 1])->open >= own[count])
        return not_begun(s, lo, near - 1, own[count]);
    lo = near > lo ? near : lo;
    for (; hi - lo > step && hd_section_at(s, s->order[lo + step])->open < own[count]; step *= 2)
        lo += step + 1;
    return not_begun(s, lo, hi - lo > step ? lo + step : hi, own[count]);
}

/* Of the sections before place i, the one that is still open after `count` events. */
static uint32_t last_open(const struct hd_sections *s, const struct hd_lock_user *user,
                          uint32_t count, uint32_t i)
{
    for (; i > user->start; i--) {
        const struct hd_section *x = hd_section_at(s, s->order[i - 1]);
        if (x->close == HD_EID_NONE || s->t->pos[x->close] >= count)
            return s->order[i - 1];
        if (s->reach[i - 1] < count)
            break; /* so have all before it; else the thread holds both sides of the lock */
    }
    return HD_SECTION_NONE;
}

uint32_t hd_sections_open_at(const struct hd_sections *s, const struct hd_lock_user *user,
                             uint32_t count)
{
    return last_open(s, user, count, hd_sections_begun(s, user, count));
}

uint32_t hd_sections_open_near(const struct hd_sections *s, const struct hd_lock_user *user,
                               uint32_t count, uint32_t *near)
{
    *near = begun_near(s, user, count, *near);
    return last_open(s, user, count, *near);
}
