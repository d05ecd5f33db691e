/* Causally-precedes (Smaragdakis et al. 2012), the smallest relation < with
 *   (a) r1 < q2 for a release r1 and a later acquire q2 of one lock if their sections have
 * conflicting accesses; (b) r1 < q2 if an event of r1's section comes before one of q2's by < or by
 * the recorded orders; (c) < closed under happens-before on either side. That q2 comes after r1 is
 * learnt only inside the second section, when q2 has passed. So the trace is walked again and again
 * with what the last walk learnt, until a walk learns nothing: exact, without a window, at the
 * price of several walks (docs/algorithms/detectors.md has their number). Rule (a) does not depend
 * on the relation and is found by one walk of its own. */
#include "base/alloc.h"
#include "detect/published/causal.h"
#include "detect/published/conflicts.h"
#include "detect/detect_int.h"
#include "detect/published/history.h"

/* Sections of a lock by one thread and side, of the whole trace, in order. */
struct row {
    hd_tid thread;
    bool write;
    struct hd_u32vec section;
    uint32_t latest; /* in the current walk: the section that ended last + 1 */
    struct hd_stamp release;
};

struct lock_rows {
    struct row *row;
    uint32_t n;
};

/* One more read section that a section comes after. */
struct after_read {
    uint32_t earlier;
    uint32_t next; /* entry + 1 */
};

struct walk {
    const struct hd_trace *t;
    struct hd_edges edges;
    struct hd_outer_sections whole; /* all sections, from the first walk */
    struct lock_rows *rows;         /* by lock */
    uint32_t *after_write;          /* by section: the last write section it comes after + 1 */
    uint32_t *reads;                /* by section: first entry of after_read + 1 */
    size_t cap;                     /* of both */
    struct hd_vec after_read;       /* struct after_read */
    uint32_t *uses;                 /* by section: who has yet to take its release in this walk */
    struct hd_stamp *release;       /* by section, while uses is not 0 */
    struct hd_causal causal;        /* of the current walk */
    struct hd_outer_sections sections;
    bool learnt;
};

/* Section later comes after section earlier, of another thread and the same lock. A write section
 * in between knows all that came before it. */
static void learn(struct walk *w, uint32_t earlier, uint32_t later)
{
    if (w->after_write[later] >= earlier + 1)
        return;
    if (hd_outer_section_at(&w->whole, earlier)->write) {
        w->after_write[later] = earlier + 1;
        w->learnt = true;
        return;
    }
    for (uint32_t i = w->reads[later]; i;) {
        const struct after_read *entry = hd_vec_at(&w->after_read, i - 1);
        if (entry->earlier == earlier)
            return;
        i = entry->next;
    }
    struct after_read *entry = hd_vec_push(&w->after_read);
    *entry = (struct after_read){earlier, w->reads[later]};
    w->reads[later] = (uint32_t)w->after_read.len;
    w->learnt = true;
}

static void rule_a(void *ctx, const struct hd_mark *mark, uint32_t section)
{
    learn(ctx, mark->section, section);
}

static void add_row(struct walk *w, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&w->whole, id);
    struct lock_rows *rows = &w->rows[s->lock];
    uint32_t i = 0;
    while (i < rows->n && (rows->row[i].thread != s->thread || rows->row[i].write != s->write))
        i++;
    if (i == rows->n) {
        rows->row = hd_realloc(rows->row, i * sizeof *rows->row, (i + 1) * sizeof *rows->row);
        rows->row[rows->n++] = (struct row){.thread = s->thread, .write = s->write};
    }
    hd_u32vec_push(&rows->row[i].section, id);
}

static void add_section(struct walk *w, uint32_t id)
{
    if (id >= w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 64;
        w->after_write = hd_realloc(w->after_write, w->cap * sizeof *w->after_write,
                                    cap * sizeof *w->after_write);
        w->reads = hd_realloc(w->reads, w->cap * sizeof *w->reads, cap * sizeof *w->reads);
        w->cap = cap;
    }
    w->after_write[id] = w->reads[id] = 0;
    add_row(w, id);
}

/* The first walk: all sections, and rule (a). */
static void first_walk(struct walk *w)
{
    const struct hd_trace *t = w->t;
    struct hd_conflicts conflicts;
    hd_conflicts_init(&conflicts, t, NULL);
    for (size_t e = 0; e < t->n_events; e++) {
        if (hd_op_is_access(t->op[e])) {
            hd_conflicts_access(&conflicts, (hd_eid)e, rule_a, w);
            continue;
        }
        struct hd_outer_section_step s = hd_outer_sections_pass(&w->whole, (hd_eid)e);
        if (s.closed != HD_SECTION_NONE)
            hd_conflicts_close(&conflicts, hd_outer_section_at(&w->whole, s.closed), s.closed,
                               NULL);
        if (s.opened == HD_SECTION_NONE)
            continue;
        add_section(w, s.opened);
        hd_conflicts_open(&conflicts, hd_outer_section_at(&w->whole, s.opened), s.opened);
    }
    hd_conflicts_fini(&conflicts);
}

/* Takes the release of an earlier section into the thread of an acquire. */
static void follow(struct walk *w, hd_tid u, uint32_t earlier)
{
    hd_causal_follow(&w->causal, u, &w->release[earlier]);
    if (--w->uses[earlier] == 0)
        hd_stamp_clear(&w->causal.pool, &w->release[earlier]);
}

static void begin_section(struct walk *w, uint32_t id)
{
    hd_tid u = hd_outer_section_at(&w->whole, id)->thread;
    for (uint32_t i = w->reads[id]; i;) {
        const struct after_read *entry = hd_vec_at(&w->after_read, i - 1);
        follow(w, u, entry->earlier);
        i = entry->next;
    }
    if (w->after_write[id])
        follow(w, u, w->after_write[id] - 1);
}

/* The last section of a row whose acquire the thread of a section knows, or HD_SECTION_NONE. */
static uint32_t last_known(const struct walk *w, const struct row *row, uint32_t known)
{
    size_t lo = 0, hi = row->section.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (hd_outer_section_at(&w->whole, row->section.data[mid])->acq_pos < known)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? row->section.data[lo - 1] : HD_SECTION_NONE;
}

/* Rule (b) at the end of a section. What is learnt counts from its acquire in the next walk on, and
 * from here in this one if the release is at hand. */
static void rule_b(struct walk *w, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&w->whole, id);
    const struct hd_causal_thread *th = &w->causal.thread[s->thread];
    struct lock_rows *rows = &w->rows[s->lock];
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->row[i];
        if (row->thread == s->thread || !(row->write || s->write))
            continue;
        uint32_t earlier = last_known(w, row, th->known->v[row->thread]);
        if (earlier == HD_SECTION_NONE)
            continue;
        learn(w, earlier, id);
        if (row->latest == earlier + 1)
            hd_causal_follow(&w->causal, s->thread, &row->release);
    }
}

static void end_section(struct walk *w, hd_eid e, uint32_t id)
{
    const struct hd_outer_section *s = hd_outer_section_at(&w->whole, id);
    struct lock_rows *rows = &w->rows[s->lock];
    struct hd_clock_pool *pool = &w->causal.pool;
    rule_b(w, id);
    struct hd_clock *hb = w->causal.thread[s->thread].hb;
    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->row[i].thread == s->thread && rows->row[i].write == s->write) {
            rows->row[i].latest = id + 1;
            hd_stamp_set(pool, &rows->row[i].release, hb, s->thread, w->t->pos[e] + 1);
        }
    if (w->uses[id])
        hd_stamp_set(pool, &w->release[id], hb, s->thread, w->t->pos[e] + 1);
}

static void count_uses(struct walk *w)
{
    size_t n = w->whole.all.len;
    for (size_t i = 0; i < n; i++)
        w->uses[i] = 0;
    for (size_t i = 0; i < n; i++)
        if (w->after_write[i])
            w->uses[w->after_write[i] - 1]++;
    for (size_t i = 0; i < w->after_read.len; i++)
        w->uses[((struct after_read *)hd_vec_at(&w->after_read, i))->earlier]++;
}

static void step(struct walk *w, hd_eid e, struct hd_history *history)
{
    const struct hd_trace *t = w->t;
    hd_causal_enter(&w->causal, e);
    if (!hd_op_is_access(t->op[e])) {
        struct hd_outer_section_step s = hd_outer_sections_pass(&w->sections, e);
        if (s.closed != HD_SECTION_NONE)
            end_section(w, e, s.closed);
        if (s.opened != HD_SECTION_NONE)
            begin_section(w, s.opened);
    } else if (history) {
        const struct hd_causal_thread *th = &w->causal.thread[t->thread[e]];
        hd_history_access(history, e, th->known->v, th->version);
    }
    hd_causal_leave(&w->causal, e);
}

/* Rule (b) for sections that the trace leaves open. */
static void learn_open(struct walk *w)
{
    for (uint32_t id = 0; id < w->whole.all.len; id++)
        if (hd_outer_section_at(&w->whole, id)->rel == HD_EID_NONE)
            rule_b(w, id);
}

static void clear_walk(struct walk *w)
{
    for (size_t i = 0; i < w->whole.all.len; i++)
        hd_stamp_clear(&w->causal.pool, &w->release[i]);
    for (size_t l = 0; l < hd_trace_n_objs(w->t, HD_OBJ_LOCK); l++)
        for (uint32_t i = 0; i < w->rows[l].n; i++) {
            hd_stamp_clear(&w->causal.pool, &w->rows[l].row[i].release);
            w->rows[l].row[i].latest = 0;
        }
    hd_outer_sections_fini(&w->sections);
    hd_causal_fini(&w->causal);
}

/* One walk with what is known about sections; reports to history if it is given. */
static void walk_again(struct walk *w, struct hd_sink *sink, struct hd_history *history)
{
    w->learnt = false;
    count_uses(w);
    hd_causal_init(&w->causal, w->t, &w->edges);
    hd_outer_sections_init(&w->sections, w->t);
    for (size_t e = 0; e < w->t->n_events && !hd_sink_stopped(sink, e); e++)
        step(w, (hd_eid)e, history);
    learn_open(w);
    clear_walk(w);
}

static void walk_init(struct walk *w, const struct hd_trace *t)
{
    *w = (struct walk){.t = t, .after_read = HD_VEC_INIT(struct after_read)};
    hd_edges_init(&w->edges, t);
    hd_outer_sections_init(&w->whole, t);
    w->rows = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), sizeof *w->rows);
    first_walk(w);
    w->uses = hd_calloc(w->whole.all.len, sizeof *w->uses);
    w->release = hd_calloc(w->whole.all.len, sizeof *w->release);
}

static void walk_fini(struct walk *w)
{
    size_t locks = hd_trace_n_objs(w->t, HD_OBJ_LOCK), n = w->whole.all.len;
    for (size_t l = 0; l < locks; l++) {
        for (uint32_t i = 0; i < w->rows[l].n; i++)
            hd_u32vec_fini(&w->rows[l].row[i].section);
        hd_free(w->rows[l].row, w->rows[l].n * sizeof *w->rows[l].row);
    }
    hd_free(w->rows, locks * sizeof *w->rows);
    hd_free(w->after_write, w->cap * sizeof *w->after_write);
    hd_free(w->reads, w->cap * sizeof *w->reads);
    hd_vec_fini(&w->after_read);
    hd_free(w->uses, n * sizeof *w->uses);
    hd_free(w->release, n * sizeof *w->release);
    hd_outer_sections_fini(&w->whole);
    hd_edges_fini(&w->edges);
}

enum hd_status hd_detect_cp(const struct hd_trace *t, const struct hd_detect_opts *opts,
                            struct hd_detect_result *r, struct hd_err *err)
{
    struct walk w;
    struct hd_history history;
    hd_history_init(&history, t, opts, r, NULL);
    walk_init(&w, t);
    uint64_t rounds = 1;
    do {
        walk_again(&w, &history.sink, NULL);
        rounds++;
    } while (w.learnt && !hd_sink_stopped_now(&history.sink));
    walk_again(&w, &history.sink, &history);
    r->rounds = rounds + 1;
    walk_fini(&w);
    return hd_history_finish(&history, err);
}
