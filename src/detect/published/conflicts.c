#include "detect/published/conflicts.h"

#include "base/alloc.h"
#include "detect/filters/contended.h"

#include <string.h>

enum { READS = 1, WRITES = 2 };
enum { CACHE = 64 }; /* recently noted locations of a thread; a power of two */

/* Marks of the sections that read (or wrote) one location under one lock, oldest first. */
struct marks {
    struct hd_mark *mark;
    uint32_t n, cap;
};

struct hd_conflict_cell {
    struct marks readers, writers;
};

struct open_section {
    uint32_t id, lock;
    bool write;
    size_t start; /* in the log */
};

struct note {
    uint32_t loc;
    uint32_t how; /* READS, WRITES */
};

struct hd_conflict_log {
    struct hd_vec open;  /* struct open_section, of shared locks */
    struct hd_vec notes; /* struct note, since the oldest open section began */
    uint32_t epoch;      /* grows when a section opens: older notes do not stand for it */
    struct {
        uint32_t loc, epoch, how;
    } cache[CACHE];
};

void hd_conflicts_init(struct hd_conflicts *c, const struct hd_trace *t, struct hd_clock_pool *pool)
{
    size_t threads = hd_trace_n_threads(t);
    *c = (struct hd_conflicts){.t = t, .pool = pool, .cells = HD_VEC_INIT(struct hd_conflict_cell)};
    c->log = hd_calloc(threads, sizeof *c->log);
    for (size_t u = 0; u < threads; u++) {
        c->log[u].open = HD_VEC_INIT(struct open_section);
        c->log[u].notes = HD_VEC_INIT(struct note);
    }
    c->contended = hd_contended_new(t);
    c->shared_lock = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), 1);
    for (uint32_t l = 0; l < hd_trace_n_objs(t, HD_OBJ_LOCK); l++)
        c->shared_lock[l] = hd_sections_lock_is_shared(t, l);
}

static void forget(struct hd_conflicts *c, struct marks *m, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < from + n; i++)
        if (c->pool)
            hd_stamp_clear(c->pool, &m->mark[i].stamp);
    m->n -= n;
    memmove(m->mark + from, m->mark + from + n, (m->n - from) * sizeof *m->mark);
}

static void marks_fini(struct hd_conflicts *c, struct marks *m)
{
    if (m->n)
        forget(c, m, 0, m->n);
    hd_free(m->mark, m->cap * sizeof *m->mark);
}

void hd_conflicts_fini(struct hd_conflicts *c)
{
    size_t threads = hd_trace_n_threads(c->t);
    for (size_t i = 0; i < c->cells.len; i++) {
        struct hd_conflict_cell *cell = hd_vec_at(&c->cells, i);
        marks_fini(c, &cell->readers);
        marks_fini(c, &cell->writers);
    }
    hd_vec_fini(&c->cells);
    hd_map_fini(&c->cell_of);
    for (size_t u = 0; u < threads; u++) {
        hd_vec_fini(&c->log[u].open);
        hd_vec_fini(&c->log[u].notes);
    }
    hd_free(c->log, threads * sizeof *c->log);
    hd_contended_free(c->contended, c->t);
    hd_free(c->shared_lock, hd_trace_n_objs(c->t, HD_OBJ_LOCK));
}

void hd_conflicts_open(struct hd_conflicts *c, const struct hd_outer_section *s, uint32_t id)
{
    if (!c->shared_lock[s->lock])
        return;
    struct hd_conflict_log *log = &c->log[s->thread];
    struct open_section *o = hd_vec_push(&log->open);
    *o = (struct open_section){id, s->lock, s->write, log->notes.len};
    log->epoch++;
}

static void add_mark(struct hd_conflicts *c, struct marks *m, const struct hd_mark *mark)
{
    for (uint32_t i = m->n; i-- > 0;)
        if (m->mark[i].thread == mark->thread && m->mark[i].write == mark->write) {
            forget(c, m, i, 1);
            break;
        }
    /* A query stops at the newest write section of another thread: after this one and an older
     * write section of another thread, nothing is reached. */
    for (uint32_t i = m->n; mark->write && i-- > 0;)
        if (m->mark[i].write && m->mark[i].thread != mark->thread) {
            if (i)
                forget(c, m, 0, i);
            break;
        }
    if (m->n == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 2;
        m->mark = hd_realloc(m->mark, m->cap * sizeof *m->mark, cap * sizeof *m->mark);
        m->cap = cap;
    }
    struct hd_mark *new = &m->mark[m->n++];
    *new = *mark;
    new->stamp = (struct hd_stamp){0};
    if (c->pool)
        hd_stamp_set(c->pool, &new->stamp, mark->stamp.clock, mark->stamp.thread, mark->stamp.tick);
}

static struct hd_conflict_cell *cell_at(struct hd_conflicts *c, uint32_t lock, uint32_t loc)
{
    uint32_t *id = hd_map_put(&c->cell_of, (uint64_t)lock << 32 | loc, NULL);
    if (!*id) {
        *(struct hd_conflict_cell *)hd_vec_push(&c->cells) = (struct hd_conflict_cell){0};
        *id = (uint32_t)c->cells.len;
    }
    return hd_vec_at(&c->cells, *id - 1);
}

void hd_conflicts_close(struct hd_conflicts *c, const struct hd_outer_section *s, uint32_t id,
                        const struct hd_stamp *stamp)
{
    if (!c->shared_lock[s->lock])
        return;
    struct hd_conflict_log *log = &c->log[s->thread];
    size_t k = log->open.len;
    struct open_section *o;
    do
        o = hd_vec_at(&log->open, --k);
    while (o->id != id);
    struct hd_mark mark = {.section = id, .thread = s->thread, .write = s->write};
    if (stamp)
        mark.stamp = *stamp;
    for (size_t i = o->start; i < log->notes.len; i++) {
        const struct note *n = hd_vec_at(&log->notes, i);
        struct hd_conflict_cell *cell = cell_at(c, s->lock, n->loc);
        if (n->how & READS)
            add_mark(c, &cell->readers, &mark);
        if (n->how & WRITES)
            add_mark(c, &cell->writers, &mark);
    }
    log->open.len--;
    memmove(o, o + 1, (log->open.len - k) * sizeof *o);
    if (!log->open.len)
        log->notes.len = 0;
}

static void query(const struct marks *m, hd_tid u, const struct open_section *o,
                  hd_conflict_found found, void *ctx)
{
    for (uint32_t i = m->n; i-- > 0;) {
        const struct hd_mark *mark = &m->mark[i];
        if (mark->thread == u || !(mark->write || o->write))
            continue;
        found(ctx, mark, o->id);
        if (mark->write)
            return;
    }
}

static void note(struct hd_conflict_log *log, uint32_t loc, uint32_t how)
{
    size_t slot = loc & (CACHE - 1);
    if (log->cache[slot].loc == loc && log->cache[slot].epoch == log->epoch) {
        if (!(how & ~log->cache[slot].how))
            return;
        log->cache[slot].how |= how;
    } else {
        log->cache[slot].loc = loc;
        log->cache[slot].epoch = log->epoch;
        log->cache[slot].how = how;
    }
    *(struct note *)hd_vec_push(&log->notes) = (struct note){loc, how};
}

void hd_conflicts_access(struct hd_conflicts *c, hd_eid e, hd_conflict_found found, void *ctx)
{
    const struct hd_trace *t = c->t;
    hd_tid u = t->thread[e];
    struct hd_conflict_log *log = &c->log[u];
    if (!log->open.len || !hd_loc_communicates(c->contended[t->obj[e]]))
        return;
    uint32_t id;
    uint32_t how = (hd_op_reads(t->op[e]) ? READS : 0) | (hd_op_writes(t->op[e]) ? WRITES : 0);
    for (size_t i = 0; i < log->open.len; i++) {
        const struct open_section *o = hd_vec_at(&log->open, i);
        if (!hd_map_get(&c->cell_of, (uint64_t)o->lock << 32 | t->obj[e], &id))
            continue;
        const struct hd_conflict_cell *cell = hd_vec_at(&c->cells, id - 1);
        query(&cell->writers, u, o, found, ctx);
        if (how & WRITES)
            query(&cell->readers, u, o, found, ctx);
    }
    note(log, t->obj[e], how);
}
