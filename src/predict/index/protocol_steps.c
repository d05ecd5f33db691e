#include "predict/index/protocol_int.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/stop.h"
#include "predict/index/guards_int.h"

#include <string.h>

enum { MOST_MEMORY = 3, MOST_NODES = 4096 };

/* What distinguishes nodes of a thread: the last moves (1 + number, the last one first) and the
 * locks it holds; of a doomed thread, what it still does: one move, then another node. */
struct node_key {
    uint32_t thread;
    uint32_t held;
    uint32_t doomed; /* 0; 1: `last` is the move to come and the node after it */
    uint32_t last[MOST_MEMORY];
};

void hd_intern_fini(struct hd_intern *t)
{
    hd_map_fini(&t->ids);
    hd_vec_fini(&t->records);
}

uint32_t hd_intern_put(struct hd_intern *t, const void *record, bool *fresh)
{
    size_t size = t->records.size;
    bool first;
    for (uint64_t hash = hd_hash_bytes(record, size, 0);; hash++) {
        uint32_t *id = hd_map_put(&t->ids, hash, &first);
        if (first) {
            *id = (uint32_t)t->records.len;
            memcpy(hd_vec_push(&t->records), record, size);
        } else if (memcmp(hd_vec_at(&t->records, *id), record, size) != 0) {
            continue;
        }
        if (fresh)
            *fresh = first;
        return *id;
    }
}

static uint32_t place_in(const struct hd_u32vec *list, uint32_t x)
{
    uint32_t i = 0;
    while (i < list->len && list->data[i] != x)
        i++;
    return i;
}

static uint16_t value_of(struct hd_protocol *p, uint32_t loc, struct hd_value v)
{
    struct hd_vec *values = &p->values[loc];
    for (size_t i = 0; i < values->len; i++)
        if (hd_value_eq(*(struct hd_value *)hd_vec_at(values, i), v))
            return (uint16_t)(i + 1);
    *(struct hd_value *)hd_vec_push(values) = v;
    return (uint16_t)values->len;
}

/* ---- the events of a thread ---- */

static int by_event(const void *a, const void *b, void *arg)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)arg;
    return x < y ? -1 : x > y;
}

/* The sections of the protocol's locks around an event: what opens and closes them. */
static void add_sections(const struct hd_protocol *p, hd_eid e, struct hd_u32vec *events)
{
    const struct hd_sections *s = p->w->sections;
    for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, n)->section);
        if (x->shared || place_in(&p->locks, x->lock) == p->locks.len)
            continue;
        hd_u32vec_push(events, x->open);
        if (x->close != HD_EID_NONE)
            hd_u32vec_push(events, x->close);
    }
}

static struct hd_protocol_thread *thread_of(struct hd_protocol *p, hd_tid thread)
{
    for (size_t i = 0; i < p->threads.len; i++) {
        struct hd_protocol_thread *u = hd_vec_at(&p->threads, i);
        if (u->thread == thread)
            return u;
    }
    struct hd_protocol_thread *u = hd_vec_push(&p->threads);
    *u = (struct hd_protocol_thread){.thread = thread};
    return u;
}

static void gather(struct hd_protocol *p)
{
    for (size_t i = 0; i < p->locs.len; i++) {
        size_t n;
        const struct hd_loc_user *users = hd_accesses_users(p->w->locs, p->locs.data[i], &n);
        for (size_t k = 0; k < n; k++) {
            struct hd_protocol_thread *u = thread_of(p, users[k].thread);
            for (uint32_t a = users[k].start; a < users[k].end; a++) {
                hd_u32vec_push(&u->events, p->w->locs->list[a]);
                add_sections(p, p->w->locs->list[a], &u->events);
            }
        }
    }
    for (size_t i = 0; i < p->threads.len; i++) {
        struct hd_u32vec *events =
            &((struct hd_protocol_thread *)hd_vec_at(&p->threads, i))->events;
        size_t kept = 0;
        hd_sort(events->data, events->len, sizeof *events->data, by_event, NULL);
        for (size_t k = 0; k < events->len; k++)
            if (!kept || events->data[kept - 1] != events->data[k])
                events->data[kept++] = events->data[k];
        events->len = kept;
    }
}

/* From the last event back: how far each read reaches, and which reads are of no use. A read whose
 * staleness shows too late, or never, is left out; an rmw stays for what it stores. */
static void drop_idle(const struct hd_protocol *p, struct hd_protocol_thread *u)
{
    const struct hd_trace *t = p->w->t;
    size_t n = u->events.len, kept = n; /* what is kept stands at the end */
    hd_u32vec_reserve(&u->reach, n);
    for (size_t i = n; i-- > 0;) {
        hd_eid e = u->events.data[i];
        uint32_t needed = p->w->needed_at[e], reach = 0;
        bool reads = hd_op_is_access(t->op[e]) && hd_op_reads(t->op[e]);
        while (kept + reach < n && reach <= HD_PROTOCOL_REACH &&
               t->pos[u->events.data[kept + reach]] < needed)
            reach++;
        bool checked = reads && needed != UINT32_MAX && reach <= HD_PROTOCOL_REACH;
        if (reads && !checked && !hd_op_writes(t->op[e]))
            continue;
        kept--;
        u->events.data[kept] = e;
        u->reach.data[kept] = checked ? reach : UINT32_MAX;
    }
    memmove(u->events.data, u->events.data + kept, (n - kept) * sizeof *u->events.data);
    memmove(u->reach.data, u->reach.data + kept, (n - kept) * sizeof *u->reach.data);
    u->events.len = u->reach.len = n - kept;
}

/* ---- moves ---- */

/* The section of a lock that e stands in. */
static uint32_t section_at(const struct hd_sections *s, hd_eid e, uint32_t lock)
{
    for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, n)->section);
        if (x->lock == lock && !x->shared)
            return hd_held_at(s, n)->section;
    }
    return HD_SECTION_NONE;
}

/* Whether the read r and the write w are one step, as far as their location goes: both stand in one
 * section of the lock that the location is written under, and no write comes between them. */
static bool is_one_step(const struct hd_protocol *p, hd_eid r, hd_eid w)
{
    const struct hd_trace *t = p->w->t;
    const struct hd_accesses *locs = p->w->locs;
    uint32_t lock = p->loc_locks.data[place_in(&p->locs, t->obj[w])], section;
    size_t n, i = 0;
    if (t->obj[r] != t->obj[w] || lock == HD_SECTION_NONE)
        return false;
    section = section_at(p->w->sections, w, lock);
    if (section == HD_SECTION_NONE || section_at(p->w->sections, r, lock) != section)
        return false;
    const struct hd_loc_user *users = hd_accesses_users(locs, t->obj[w], &n);
    while (users[i].thread != t->thread[w])
        i++;
    return locs->writes[hd_accesses_write_from(locs, &users[i], t->pos[r])] == w;
}

/* Whether what w stores depends on what was there before. A write that makes one step with the read
 * it depends on becomes an rmw. */
static void judge_value(struct hd_protocol *p, hd_eid w, struct hd_protocol_move *m)
{
    struct hd_deps deps = hd_trace_deps(p->w->t, w, HD_DEP_VALUE);
    m->itself = deps.all;
    for (uint32_t i = 0; i < deps.n && !m->itself; i++) {
        hd_eid r = hd_trace_back(p->w->t, w, deps.dist[i]);
        if (r == w) {
            m->itself = 1;
        } else if (m->kind == HD_MOVE_WRITE && is_one_step(p, r, w)) {
            m->kind = HD_MOVE_RMW;
            m->itself = 1;
            m->from = value_of(p, m->object, hd_trace_read_value(p->w->t, r));
        }
    }
}

static struct hd_protocol_move move_of(struct hd_protocol *p, const struct hd_protocol_thread *u,
                                       size_t i)
{
    const struct hd_trace *t = p->w->t;
    hd_eid e = u->events.data[i];
    struct hd_protocol_move m = {.place = t->place[e], .checked = u->reach.data[i] != UINT32_MAX};
    if (!hd_op_is_access(t->op[e])) {
        bool opens = hd_section_at(p->w->sections, hd_section_of(p->w->sections, e))->open == e;
        m.kind = opens ? HD_MOVE_TAKE : HD_MOVE_GIVE;
        m.object = (uint16_t)place_in(&p->locks, hd_trace_lock(t, e));
        return m;
    }
    uint32_t loc = place_in(&p->locs, t->obj[e]);
    bool reads = hd_op_reads(t->op[e]), writes = hd_op_writes(t->op[e]);
    m.object = (uint16_t)loc;
    m.kind = !writes ? HD_MOVE_READ : reads ? HD_MOVE_RMW : HD_MOVE_WRITE;
    if (reads)
        m.from = value_of(p, loc, hd_trace_read_value(t, e));
    if (writes) {
        m.to = value_of(p, loc, hd_trace_write_value(t, e));
        judge_value(p, e, &m);
    }
    return m;
}

static const struct hd_protocol_move *move_at(const struct hd_protocol *p, uint32_t id)
{
    return hd_vec_at(&p->moves.records, id);
}

/* ---- nodes and edges ---- */

static uint32_t node_of(struct hd_protocol *p, const struct node_key *key)
{
    return hd_intern_put(&p->nodes, key, NULL);
}

static void add_edge(struct hd_protocol *p, uint32_t node, uint32_t move, uint32_t target,
                     uint32_t doomed)
{
    const struct hd_protocol_edge edge = {node, move, target, doomed};
    hd_intern_put(&p->edges, &edge, NULL);
}

/* The node of a thread whose read at event i was stale: it still runs the next events, up to the
 * one that needs the read. */
static uint32_t doom(struct hd_protocol *p, const struct hd_protocol_thread *u, uint32_t slot,
                     size_t i)
{
    struct node_key key = {.thread = slot, .doomed = 1};
    uint32_t node = node_of(p, &key);
    for (size_t k = i + u->reach.data[i]; k > i; k--) {
        struct hd_protocol_move m = *move_at(p, u->moves.data[k]);
        if (m.kind == HD_MOVE_READ)
            continue;
        m.checked = 0;
        key.last[0] = hd_intern_put(&p->moves, &m, NULL) + 1;
        key.last[1] = node;
        uint32_t before = node_of(p, &key);
        add_edge(p, before, key.last[0] - 1, node, HD_NODE_NONE);
        node = before;
    }
    return node;
}

/* What the thread remembers after a move. */
static void remember(struct node_key *key, const struct hd_protocol_move *m, uint32_t move,
                     unsigned memory)
{
    if (m->kind == HD_MOVE_TAKE)
        key->held |= 1u << m->object;
    else if (m->kind == HD_MOVE_GIVE)
        key->held &= ~(1u << m->object);
    else if (key->last[0] != move + 1) {
        memmove(key->last + 1, key->last, (memory - 1) * sizeof *key->last);
        key->last[0] = move + 1;
    }
}

static void make_nodes(struct hd_protocol *p, struct hd_protocol_thread *u, uint32_t slot,
                       unsigned memory)
{
    struct node_key key = {.thread = slot};
    uint32_t node = u->start = node_of(p, &key);
    for (size_t i = 0; i < u->events.len; i++) {
        struct hd_protocol_move m = move_of(p, u, i);
        hd_u32vec_push(&u->moves, hd_intern_put(&p->moves, &m, NULL));
    }
    for (size_t i = 0; i < u->events.len && p->nodes.records.len <= MOST_NODES; i++) {
        const struct hd_protocol_move m = *move_at(p, u->moves.data[i]);
        remember(&key, &m, u->moves.data[i], memory);
        uint32_t next = node_of(p, &key);
        add_edge(p, node, u->moves.data[i], next, m.checked ? doom(p, u, slot, i) : HD_NODE_NONE);
        hd_u32vec_push(&u->nodes, next);
        node = next;
    }
}

/* ---- the first state ---- */

/* How many first events of the thread come before all other threads of the protocol are made. */
static void settle(struct hd_protocol *p, struct hd_protocol_thread *u)
{
    for (; u->settled < u->events.len; u->settled++)
        for (size_t k = 0; k < p->threads.len; k++) {
            const struct hd_protocol_thread *other = hd_vec_at(&p->threads, k);
            if (other != u &&
                !hd_guard_made_after(p->w->t, other->thread, u->events.data[u->settled]))
                return;
        }
}

/* The values that the settled events leave. */
static void run_settled(struct hd_protocol *p, struct hd_protocol_thread *u)
{
    for (uint32_t i = 0; i < u->settled; i++) {
        const struct hd_protocol_move *m = move_at(p, u->moves.data[i]);
        if (m->kind == HD_MOVE_WRITE || m->kind == HD_MOVE_RMW)
            p->settled.data[m->object] = m->to;
    }
    if (u->settled)
        u->start = u->nodes.data[u->settled - 1];
}

static void begin_state(struct hd_protocol *p)
{
    for (uint32_t i = 0; i < p->locs.len; i++) {
        const struct hd_loc_init *init = &p->w->t->loc_init[p->locs.data[i]];
        hd_u32vec_push(&p->settled, init->how == HD_INIT_UNKNOWN ? 0 : value_of(p, i, init->value));
    }
    for (size_t i = 0; i < p->threads.len; i++) {
        struct hd_protocol_thread *u = hd_vec_at(&p->threads, i);
        settle(p, u);
        run_settled(p, u);
    }
}

/* Edges by the node they leave. */
static void index_edges(struct hd_protocol *p)
{
    size_t nodes = p->nodes.records.len, n = p->edges.records.len;
    p->edge_start = hd_calloc(nodes + 1, sizeof *p->edge_start);
    p->edge_list = hd_alloc(n * sizeof *p->edge_list);
    for (size_t i = 0; i < n; i++)
        p->edge_start[((struct hd_protocol_edge *)hd_vec_at(&p->edges.records, i))->node + 1]++;
    for (size_t i = 0; i < nodes; i++)
        p->edge_start[i + 1] += p->edge_start[i];
    uint32_t *at = hd_alloc((nodes + 1) * sizeof *at);
    memcpy(at, p->edge_start, (nodes + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        p->edge_list[at[((struct hd_protocol_edge *)hd_vec_at(&p->edges.records, i))->node]++] = i;
    hd_free(at, (nodes + 1) * sizeof *at);
}

bool hd_protocol_make(struct hd_protocol *p, unsigned memory)
{
    p->threads = HD_VEC_INIT(struct hd_protocol_thread);
    p->moves.records = HD_VEC_INIT(struct hd_protocol_move);
    p->nodes.records = HD_VEC_INIT(struct node_key);
    p->edges.records = HD_VEC_INIT(struct hd_protocol_edge);
    p->values = hd_alloc(p->locs.len * sizeof *p->values);
    for (size_t i = 0; i < p->locs.len; i++)
        p->values[i] = HD_VEC_INIT(struct hd_value);
    gather(p);
    if (hd_stop_now() != HD_STOP_NO)
        return false;
    for (uint32_t i = 0; i < p->threads.len; i++) {
        struct hd_protocol_thread *u = hd_vec_at(&p->threads, i);
        drop_idle(p, u);
        make_nodes(p, u, i, memory);
    }
    if (p->nodes.records.len > MOST_NODES)
        return false;
    begin_state(p);
    index_edges(p);
    return true;
}
