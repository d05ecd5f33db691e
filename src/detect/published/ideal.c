#include "detect/published/ideal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "detect/filters/contended.h"

#include <string.h>

/* Sections of one lock, thread and side, in order. */
struct row {
    struct hd_u32vec section;
    struct hd_u32vec acq_pos; /* beside it */
};

struct hd_ideal_lock {
    bool shared;
    struct hd_u32vec readers; /* threads that take its read side, each once */
};

struct acquire {
    uint32_t pos, section;
};

struct hd_ideal_thread {
    struct acquire *log; /* of shared locks, in order */
    size_t n, cap;
    struct row *row;
    size_t n_rows, cap_rows;
    struct hd_map row_of; /* lock << 1 | write: row + 1 */
};

void hd_ideal_base_init(struct hd_ideal_base *b, const struct hd_trace *t)
{
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    *b = (struct hd_ideal_base){.t = t, .release = HD_VEC_INIT(struct hd_clock *)};
    hd_timeline_init(&b->line, t);
    hd_outer_sections_init(&b->sections, t);
    b->lock = hd_calloc(locks, sizeof *b->lock);
    for (uint32_t l = 0; l < locks; l++)
        b->lock[l].shared = hd_sections_lock_is_shared(t, l);
    b->thread = hd_calloc(hd_trace_n_threads(t), sizeof *b->thread);
    b->segment = hd_calloc(hd_trace_n_threads(t), sizeof *b->segment);
    b->contended = hd_contended_new(t);
    b->write = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *b->write);
    hd_edges_init(&b->edges, t);
    hd_relay_init(&b->relay, &b->edges, &b->line.pool);
}

static void free_thread(struct hd_ideal_thread *th)
{
    for (size_t i = 0; i < th->n_rows; i++) {
        hd_u32vec_fini(&th->row[i].section);
        hd_u32vec_fini(&th->row[i].acq_pos);
    }
    hd_free(th->row, th->cap_rows * sizeof *th->row);
    hd_free(th->log, th->cap * sizeof *th->log);
    hd_map_fini(&th->row_of);
}

void hd_ideal_base_fini(struct hd_ideal_base *b)
{
    const struct hd_trace *t = b->t;
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK), locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    for (size_t u = 0; u < hd_trace_n_threads(t); u++)
        free_thread(&b->thread[u]);
    hd_free(b->thread, hd_trace_n_threads(t) * sizeof *b->thread);
    hd_free(b->segment, hd_trace_n_threads(t) * sizeof *b->segment);
    for (size_t l = 0; l < locks; l++)
        hd_u32vec_fini(&b->lock[l].readers);
    hd_free(b->lock, locks * sizeof *b->lock);
    for (size_t x = 0; x < locs; x++)
        hd_stamp_clear(&b->line.pool, &b->write[x]);
    hd_free(b->write, locs * sizeof *b->write);
    hd_contended_free(b->contended, t);
    hd_relay_fini(&b->relay);
    hd_edges_fini(&b->edges);
    hd_vec_fini(&b->release);
    hd_outer_sections_fini(&b->sections);
    hd_timeline_fini(&b->line);
}

void hd_ideal_base_before(struct hd_ideal_base *b, hd_eid e)
{
    hd_tid u = b->t->thread[e];
    if (b->relay.to != e)
        return;
    struct hd_clock *c = hd_clock_get(hd_timeline_now(&b->line, u));
    if (hd_relay_take(&b->relay, e, &c, u)) {
        hd_timeline_put(&b->line, u, b->t->pos[e], c);
        b->segment[u]++;
    } else {
        hd_clock_put(&b->line.pool, c);
    }
}

static struct row *row_of(struct hd_ideal_base *b, hd_tid u, const struct hd_outer_section *s)
{
    struct hd_ideal_thread *th = &b->thread[u];
    uint32_t *id = hd_map_put(&th->row_of, (uint64_t)s->lock << 1 | s->write, NULL);
    if (*id)
        return &th->row[*id - 1];
    if (th->n_rows == th->cap_rows) {
        size_t cap = th->cap_rows ? th->cap_rows * 2 : 8;
        th->row = hd_realloc(th->row, th->cap_rows * sizeof *th->row, cap * sizeof *th->row);
        th->cap_rows = cap;
    }
    th->row[th->n_rows++] = (struct row){0};
    *id = (uint32_t)th->n_rows;
    if (!s->write)
        hd_u32vec_push(&b->lock[s->lock].readers, u);
    return &th->row[*id - 1];
}

static void log_acquire(struct hd_ideal_base *b, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&b->sections, id);
    if (!b->lock[s->lock].shared)
        return;
    struct hd_ideal_thread *th = &b->thread[s->thread];
    if (th->n == th->cap) {
        size_t cap = th->cap ? th->cap * 2 : 16;
        th->log = hd_realloc(th->log, th->cap * sizeof *th->log, cap * sizeof *th->log);
        th->cap = cap;
    }
    th->log[th->n++] = (struct acquire){s->acq_pos, id};
    struct row *row = row_of(b, s->thread, s);
    hd_u32vec_push(&row->section, id);
    hd_u32vec_push(&row->acq_pos, s->acq_pos);
    b->segment[s->thread]++;
}

static void access(struct hd_ideal_base *b, hd_eid e)
{
    const struct hd_trace *t = b->t;
    hd_tid u = t->thread[e];
    struct hd_stamp *write = &b->write[t->obj[e]];
    if (!hd_loc_communicates(b->contended[t->obj[e]]))
        return;
    if (hd_op_reads(t->op[e])) {
        struct hd_clock *was = hd_timeline_now(&b->line, u);
        hd_timeline_join(&b->line, u, t->pos[e] + 1, write);
        b->segment[u] += was != hd_timeline_now(&b->line, u);
    }
    if (hd_op_writes(t->op[e]))
        hd_stamp_set(&b->line.pool, write, hd_timeline_now(&b->line, u), u, t->pos[e] + 1);
}

void hd_ideal_base_after(struct hd_ideal_base *b, hd_eid e)
{
    const struct hd_trace *t = b->t;
    hd_tid u = t->thread[e];
    if (hd_op_is_access(t->op[e])) {
        access(b, e);
    } else if (t->op[e] != HD_OP_BRANCH) {
        struct hd_outer_section_step step = hd_outer_sections_pass(&b->sections, e);
        if (step.closed != HD_SECTION_NONE)
            *(struct hd_clock **)hd_vec_at(&b->release, step.closed) = hd_timeline_now(&b->line, u);
        if (step.opened != HD_SECTION_NONE) {
            *(struct hd_clock **)hd_vec_push(&b->release) = NULL;
            log_acquire(b, step.opened);
        }
    }
    hd_relay_give(&b->relay, e, hd_timeline_now(&b->line, u), u, t->pos[e] + 1);
}

void hd_ideal_init(struct hd_ideal *i, const struct hd_ideal_base *b)
{
    *i = (struct hd_ideal){0};
    i->have = hd_calloc(b->line.pool.width, sizeof *i->have);
    i->closed = hd_calloc(b->line.pool.width, sizeof *i->closed);
}

void hd_ideal_fini(struct hd_ideal *i, const struct hd_ideal_base *b)
{
    hd_free(i->have, b->line.pool.width * sizeof *i->have);
    hd_free(i->closed, b->line.pool.width * sizeof *i->closed);
    hd_free(i->last, i->cap_last * sizeof *i->last);
}

static struct hd_ideal_last *find_slot(struct hd_ideal_last *last, size_t cap, uint32_t lock)
{
    size_t k = hd_hash_mix(lock) & (cap - 1);
    while (last[k].lock && last[k].lock != lock + 1)
        k = (k + 1) & (cap - 1);
    return &last[k];
}

/* Valid until the next call. */
static struct hd_ideal_last *last_of(struct hd_ideal *i, uint32_t lock)
{
    if (i->n_last * 4 >= i->cap_last * 3) {
        size_t cap = i->cap_last ? i->cap_last * 2 : 8;
        struct hd_ideal_last *bigger = hd_calloc(cap, sizeof *bigger);
        for (size_t k = 0; k < i->cap_last; k++)
            if (i->last[k].lock)
                *find_slot(bigger, cap, i->last[k].lock - 1) = i->last[k];
        hd_free(i->last, i->cap_last * sizeof *i->last);
        i->last = bigger;
        i->cap_last = cap;
    }
    struct hd_ideal_last *slot = find_slot(i->last, i->cap_last, lock);
    i->n_last += !slot->lock;
    slot->lock = lock + 1;
    return slot;
}

void hd_ideal_copy(struct hd_ideal *to, const struct hd_ideal *from, const struct hd_ideal_base *b)
{
    memcpy(to->have, from->have, b->line.pool.width * sizeof *to->have);
    memcpy(to->closed, from->closed, b->line.pool.width * sizeof *to->closed);
    size_t bytes = from->cap_last * sizeof *to->last;
    if (to->cap_last != from->cap_last) {
        hd_free(to->last, to->cap_last * sizeof *to->last);
        to->last = hd_alloc(bytes);
    }
    if (bytes)
        memcpy(to->last, from->last, bytes);
    to->cap_last = from->cap_last;
    to->n_last = from->n_last;
}

static void include(struct hd_ideal *i, const struct hd_ideal_base *b, hd_tid u, uint32_t tick,
                    const struct hd_clock *c)
{
    for (size_t v = 0; v < b->line.pool.width; v++)
        if (c->v[v] > i->have[v]) {
            i->have[v] = c->v[v];
            i->grew = true;
        }
    if (tick > i->have[u]) {
        i->have[u] = tick;
        i->grew = true;
    }
}

/* Demands the release of a section; one that is still open has none that an ideal could hold. */
static void close_section(struct hd_ideal *i, const struct hd_ideal_base *b, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&b->sections, id);
    const struct hd_clock *c = *(struct hd_clock **)hd_vec_at(&b->release, id);
    if (c && i->have[s->thread] <= s->rel_pos)
        include(i, b, s->thread, s->rel_pos + 1, c);
}

/* The number of sections of a row whose acquire the ideal holds. */
static size_t held_of_row(const struct row *row, uint32_t have)
{
    size_t lo = 0, hi = row->acq_pos.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (row->acq_pos.data[mid] < have)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* A write section of a lock is new in the ideal: readers of other threads that came before it. */
static void close_readers(struct hd_ideal *i, const struct hd_ideal_base *b, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&b->sections, id);
    const struct hd_u32vec *threads = &b->lock[s->lock].readers;
    for (size_t k = 0; k < threads->len; k++) {
        hd_tid u = threads->data[k];
        uint32_t row_id;
        if (u == s->thread || !hd_map_get(&b->thread[u].row_of, (uint64_t)s->lock << 1, &row_id))
            continue;
        const struct row *row = &b->thread[u].row[row_id - 1];
        size_t n = held_of_row(row, i->have[u]);
        if (n && row->section.data[n - 1] < id)
            close_section(i, b, row->section.data[n - 1]);
    }
}

/* The later of two sections of a lock closes the earlier one, unless one thread has both. Section
 * numbers are in order of acquires. */
static void close_earlier(struct hd_ideal *i, const struct hd_ideal_base *b, uint32_t x, uint32_t y)
{
    uint32_t earlier = x < y ? x : y;
    if (hd_outer_section_at(&b->sections, x)->thread !=
        hd_outer_section_at(&b->sections, y)->thread)
        close_section(i, b, earlier);
}

static void meet_acquire(struct hd_ideal *i, const struct hd_ideal_base *b, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&b->sections, id);
    struct hd_ideal_last *last = last_of(i, s->lock);
    if (last->write)
        close_earlier(i, b, last->write - 1, id);
    if (s->write && b->lock[s->lock].readers.len) {
        if (last->read > id + 1)
            close_earlier(i, b, last->read - 1, id);
        close_readers(i, b, id);
    }
    uint32_t *latest = s->write ? &last->write : &last->read;
    if (*latest < id + 1)
        *latest = id + 1;
}

/* Index of the first acquire at position pos or later. */
static size_t first_acquire(const struct hd_ideal_thread *th, uint32_t pos)
{
    size_t lo = 0, hi = th->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (th->log[mid].pos < pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Accounts for the acquires of thread u that are new in the ideal. Of each lock and side only the
 * last matters: the thread itself released the others before it. */
static void close_thread(struct hd_ideal *i, const struct hd_ideal_base *b, hd_tid u)
{
    const struct hd_ideal_thread *th = &b->thread[u];
    uint32_t from = i->closed[u], to = i->have[u];
    i->closed[u] = to;
    size_t first = first_acquire(th, from), end = first_acquire(th, to);
    if (end - first <= th->n_rows * 2) {
        for (size_t k = first; k < end; k++)
            meet_acquire(i, b, th->log[k].section);
        return;
    }
    for (size_t k = 0; k < th->n_rows; k++) {
        size_t n = held_of_row(&th->row[k], to);
        if (n && th->row[k].acq_pos.data[n - 1] >= from)
            meet_acquire(i, b, th->row[k].section.data[n - 1]);
    }
}

void hd_ideal_add(struct hd_ideal *i, const struct hd_ideal_base *b, hd_tid u, uint32_t tick,
                  const struct hd_clock *c)
{
    if (tick && i->have[u] >= tick)
        return;
    i->grew = false;
    include(i, b, u, tick, c);
    while (i->grew) {
        i->grew = false;
        for (hd_tid v = 0; v < hd_trace_n_threads(b->t); v++)
            if (i->closed[v] < i->have[v])
                close_thread(i, b, v);
    }
}
