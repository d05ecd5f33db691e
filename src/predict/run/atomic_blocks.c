#include "predict/run/atomic_blocks.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

const char *const hd_block_names[HD_BLOCK_KINDS] = {"marked block", "critical section",
                                                    "check, then act"};

/* An access of the block under construction that later ones pair with. */
struct earlier {
    hd_eid e;
    uint32_t next; /* of the same location; 0: none, else index + 1 */
};

struct finder {
    const struct hd_world *w;
    const hd_eid *events; /* of the thread */
    uint32_t n;
    bool all;
    struct hd_vec *pairs;
    struct hd_map heads;     /* location: index + 1 of its last entry in `earlier` */
    struct hd_vec earlier;   /* struct earlier */
    struct hd_vec stretches; /* struct stretch: the blocks of the thread so far */
};

struct stretch {
    uint32_t start, end; /* positions */
};

static bool shared_location(const struct hd_world *w, uint32_t loc)
{
    size_t n;
    hd_accesses_users(w->locs, loc, &n);
    return n > 1;
}

static void add_pair(struct finder *f, hd_eid c, hd_eid d, enum hd_block_kind kind)
{
    *(struct hd_block_pair *)hd_vec_push(f->pairs) = (struct hd_block_pair){c, d, kind};
}

/* Pairs e with the earlier accesses of the block, and keeps it for the later ones. */
static void add_access(struct finder *f, hd_eid e, enum hd_block_kind kind)
{
    const struct hd_trace *t = f->w->t;
    uint32_t *head = hd_map_put(&f->heads, t->obj[e], NULL);
    bool known = false;
    for (uint32_t i = *head; i;) {
        const struct earlier *x = hd_vec_at(&f->earlier, i - 1);
        add_pair(f, x->e, e, kind);
        known |=
            t->place[x->e] == t->place[e] && hd_op_writes(t->op[x->e]) == hd_op_writes(t->op[e]);
        i = x->next;
    }
    if (known && !f->all)
        return;
    *(struct earlier *)hd_vec_push(&f->earlier) = (struct earlier){e, *head};
    *head = (uint32_t)f->earlier.len;
}

static void add_block(struct finder *f, uint32_t start, uint32_t end, enum hd_block_kind kind)
{
    const struct hd_trace *t = f->w->t;
    *(struct stretch *)hd_vec_push(&f->stretches) = (struct stretch){start, end};
    hd_map_clear(&f->heads);
    f->earlier.len = 0;
    for (uint32_t p = start; p < end; p++) {
        hd_eid e = f->events[p];
        if (hd_op_is_access(t->op[e]) && shared_location(f->w, t->obj[e]))
            add_access(f, e, kind);
    }
}

static void find_given(struct finder *f)
{
    const struct hd_trace *t = f->w->t;
    uint32_t depth = 0, start = 0;
    for (uint32_t p = 0; p < f->n; p++) {
        if (t->op[f->events[p]] == HD_OP_BEGIN && depth++ == 0)
            start = p;
        if (t->op[f->events[p]] == HD_OP_END && --depth == 0)
            add_block(f, start, p, HD_BLOCK_GIVEN);
    }
    if (depth)
        add_block(f, start, f->n, HD_BLOCK_GIVEN);
}

static uint32_t end_of(const struct finder *f, const struct hd_section *x)
{
    return x->close == HD_EID_NONE ? f->n : f->w->t->pos[x->close];
}

static bool has_wait(const struct finder *f, uint32_t start, uint32_t end)
{
    for (uint32_t p = start; p < end; p++)
        if (f->w->t->op[f->events[p]] == HD_OP_WAIT)
            return true;
    return false;
}

/* Whether one of the first `limit` blocks, which are in order, covers a part of this stretch. */
static bool covered(const struct finder *f, size_t limit, uint32_t start, uint32_t end)
{
    size_t lo = 0, hi = limit; /* the first that ends after the start */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (((struct stretch *)hd_vec_at(&f->stretches, mid))->end > start)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < limit && ((struct stretch *)hd_vec_at(&f->stretches, lo))->start < end;
}

/* Whether the event opens this section, and it is one of a lock of the trace. */
static bool opens_lock(const struct hd_sections *s, uint32_t id, hd_eid e)
{
    return id != HD_SECTION_NONE && hd_section_at(s, id)->open == e &&
           hd_section_at(s, id)->lock < s->n_real;
}

/* The thread's sections, in program order: those that open a section at its events. */
static void find_regions(struct finder *f)
{
    const struct hd_sections *s = f->w->sections;
    size_t given = f->stretches.len;
    uint32_t done = 0;
    for (uint32_t p = 0; p < f->n; p++) {
        uint32_t id = hd_section_of(s, f->events[p]);
        if (!opens_lock(s, id, f->events[p]) || p < done)
            continue;
        uint32_t end = end_of(f, hd_section_at(s, id));
        if (has_wait(f, p, end + (end < f->n)) || covered(f, given, p, end))
            continue;
        add_block(f, p, end, HD_BLOCK_REGION);
        done = end;
    }
}

/* ---- check, then act ---- */

static bool names(const struct hd_trace *t, hd_eid e, enum hd_dep_role role, hd_eid read)
{
    struct hd_deps deps = hd_trace_deps(t, e, role);
    for (uint32_t i = 0; i < deps.n && !deps.all; i++)
        if (hd_trace_back(t, e, deps.dist[i]) == read)
            return true;
    return false;
}

/* Whether the write d depends on the read c: by itself or by a branch between them. */
static bool depends(const struct finder *f, hd_eid c, hd_eid d)
{
    const struct hd_trace *t = f->w->t;
    if (names(t, d, HD_DEP_VALUE, c) || names(t, d, HD_DEP_ADDR, c))
        return true;
    for (uint32_t p = t->pos[c] + 1; p < t->pos[d]; p++)
        if (t->op[f->events[p]] == HD_OP_BRANCH && names(t, f->events[p], HD_DEP_CONTROL, c))
            return true;
    return false;
}

/* Whether the act makes the check again: between the start of its section and d the thread reads
 * the location, and a branch before d depends on that. What another thread did since the first
 * check is then seen. */
static bool rechecked(const struct finder *f, const struct stretch *y, hd_eid d)
{
    const struct hd_trace *t = f->w->t;
    for (uint32_t p = y->start; p < t->pos[d]; p++) {
        if (t->op[f->events[p]] != HD_OP_BRANCH)
            continue;
        for (uint32_t q = y->start; q < p; q++) {
            hd_eid e = f->events[q];
            if (hd_op_is_access(t->op[e]) && hd_op_reads(t->op[e]) && t->obj[e] == t->obj[d] &&
                names(t, f->events[p], HD_DEP_CONTROL, e))
                return true;
        }
    }
    return false;
}

/* The line of a place such as "file.c:12"; 0: it has none. */
static unsigned long line_of(const struct hd_trace *t, hd_eid e)
{
    const char *colon = strrchr(hd_trace_place_name(t, e), ':');
    return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

/* The function that both sections are begun in, the second further down; 0: none is known. */
static uint32_t common_function(const struct finder *f, const struct stretch *x,
                                const struct stretch *y)
{
    const uint32_t *functions = f->w->functions;
    hd_eid a = f->events[x->start], b = f->events[y->start];
    if (!functions || functions[a] != functions[b])
        return 0;
    unsigned long first = line_of(f->w->t, a);
    return first && first < line_of(f->w->t, b) ? functions[a] : 0;
}

static bool both_in(const struct finder *f, uint32_t function, hd_eid c, hd_eid d)
{
    return function && f->w->functions[c] == function && f->w->functions[d] == function;
}

/* Each read in the first section with each write in the second. */
static void add_checks(struct finder *f, const struct stretch *x, const struct stretch *y)
{
    const struct hd_trace *t = f->w->t;
    uint32_t function = common_function(f, x, y);
    for (uint32_t q = y->start; q < y->end; q++) {
        hd_eid d = f->events[q];
        if (!hd_op_is_access(t->op[d]) || !hd_op_writes(t->op[d]) ||
            !shared_location(f->w, t->obj[d]) || rechecked(f, y, d))
            continue;
        for (uint32_t p = x->start; p < x->end; p++) {
            hd_eid c = f->events[p];
            if (hd_op_is_access(t->op[c]) && hd_op_reads(t->op[c]) && t->obj[c] == t->obj[d] &&
                (both_in(f, function, c, d) || depends(f, c, d)))
                add_pair(f, c, d, HD_BLOCK_CHECK);
        }
    }
}

/* Sections longer than this are not searched for a check or an act: the search is quadratic. */
enum { MAX_SECTION = 256, MAX_BETWEEN = 4096 };

static void find_checks(struct finder *f)
{
    const struct hd_sections *s = f->w->sections;
    struct hd_map last = {0}; /* lock: index + 1 of its last section's stretch */
    struct hd_vec stretches = HD_VEC_INIT(struct stretch);
    size_t given = f->stretches.len;
    for (uint32_t p = 0; p < f->n; p++) {
        uint32_t id = hd_section_of(s, f->events[p]);
        if (!opens_lock(s, id, f->events[p]))
            continue;
        struct stretch y = {p, end_of(f, hd_section_at(s, id))};
        uint32_t *index = hd_map_put(&last, hd_section_at(s, id)->lock, NULL);
        if (*index) {
            struct stretch x = *(struct stretch *)hd_vec_at(&stretches, *index - 1);
            if (x.end <= y.start && x.end - x.start <= MAX_SECTION &&
                y.end - y.start <= MAX_SECTION && y.start - x.end <= MAX_BETWEEN &&
                !has_wait(f, x.start, y.end) && !covered(f, given, x.start, y.end))
                add_checks(f, &x, &y);
        }
        *(struct stretch *)hd_vec_push(&stretches) = y;
        *index = (uint32_t)stretches.len;
    }
    hd_vec_fini(&stretches);
    hd_map_fini(&last);
}

static int by_events(const void *x, const void *y)
{
    const struct hd_block_pair *p = x, *q = y;
    if (p->c != q->c)
        return p->c < q->c ? -1 : 1;
    if (p->d != q->d)
        return p->d < q->d ? -1 : 1;
    return (int)p->kind - (int)q->kind;
}

static void sort_pairs(struct hd_vec *pairs)
{
    struct hd_block_pair *data = pairs->data;
    size_t kept = 0;
    if (!pairs->len)
        return;
    qsort(data, pairs->len, sizeof *data, by_events);
    for (size_t i = 0; i < pairs->len; i++)
        if (!kept || data[kept - 1].c != data[i].c || data[kept - 1].d != data[i].d)
            data[kept++] = data[i];
    pairs->len = kept;
}

void hd_atomic_blocks_pairs(const struct hd_world *w, bool all, struct hd_vec *pairs)
{
    struct finder f = {.w = w,
                       .all = all,
                       .pairs = pairs,
                       .earlier = HD_VEC_INIT(struct earlier),
                       .stretches = HD_VEC_INIT(struct stretch)};
    for (hd_tid u = 0; u < w->n_threads; u++) {
        size_t n;
        f.events = hd_trace_thread_events(w->t, u, &n);
        f.n = (uint32_t)n;
        f.stretches.len = 0;
        find_given(&f);
        find_checks(&f);
        find_regions(&f);
    }
    sort_pairs(pairs);
    hd_vec_fini(&f.earlier);
    hd_vec_fini(&f.stretches);
    hd_map_fini(&f.heads);
}
