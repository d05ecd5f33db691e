#include "detect/published/history.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "detect/filters/contended.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t what; /* place; or event, when event pairs are wanted */
    uint32_t tick;
};

/* Accesses of one location, thread, kind and lock set: what a scan looks at. */
struct head {
    uint32_t last; /* tick of the newest */
    uint32_t lockset;
    hd_tid thread;
    uint8_t kind;
    bool racy; /* timeless: some other record of the location races with it */
};

/* The accesses themselves, oldest first. */
struct body {
    uint32_t n, cap, limit; /* cap 0: the only entry is `one`; limit: when to throw out repeats */
    union {
        struct entry one;
        struct entry *many;
    } entries;
};

struct hd_past {
    struct head *head; /* cap heads, then cap bodies */
    struct body *body;
    uint32_t n, cap;
    uint32_t recent;  /* record of the last access */
    uint32_t version; /* of the clock at the last access */
    struct hd_peaks peaks;
    bool racy; /* the last access raced */
};

void hd_sink_init(struct hd_sink *s, const struct hd_trace *t, const struct hd_detect_opts *opts,
                  struct hd_detect_result *r)
{
    *s = (struct hd_sink){.t = t, .opts = opts, .r = r};
    *r = (struct hd_detect_result){.rounds = 1};
}

/* Up to this many places their pairs are a bit matrix: 2 MiB. */
#define FEW_PLACES 4096

static bool few_places(const struct hd_sink *s)
{
    return s->t->places.count <= FEW_PLACES && !s->opts->spots;
}

void hd_sink_places(struct hd_sink *s, uint32_t p, uint32_t q)
{
    uint32_t low = p < q ? p : q, high = p < q ? q : p;
    size_t count = s->t->places.count;
    bool fresh;
    if (few_places(s)) {
        if (!s->few.bits)
            hd_bitset_init(&s->few, count * count);
        size_t bit = low * count + high;
        fresh = !hd_bitset_has(&s->few, bit);
        hd_bitset_add(&s->few, bit);
    } else {
        hd_map_put(&s->places, (uint64_t)low << 32 | high, &fresh);
    }
    if (fresh)
        hd_pairs_push(&s->r->places, low, high);
}

bool hd_sink_has_places(const struct hd_sink *s, uint32_t p, uint32_t q)
{
    uint32_t low = p < q ? p : q, high = p < q ? q : p, value;
    if (few_places(s))
        return s->few.bits && hd_bitset_has(&s->few, low * s->t->places.count + high);
    return hd_map_get(&s->places, (uint64_t)low << 32 | high, &value);
}

void hd_sink_pair(struct hd_sink *s, hd_eid a, hd_eid b)
{
    size_t n = s->r->pairs.len;
    s->full |= s->opts->max_pairs && n >= s->opts->max_pairs;
    s->halted |= s->full || ((n & 0xfff) == 0xfff && hd_interrupt_requested());
    if (s->halted)
        return;
    hd_pairs_push(&s->r->pairs, a, b);
    hd_sink_places(s, s->t->place[a], s->t->place[b]);
}

bool hd_sink_stopped_now(struct hd_sink *s)
{
    const struct hd_detect_opts *o = s->opts;
    s->r->cut |= o->deadline != 0 && !o->looks && hd_progress_now() >= o->deadline;
    return s->halted || s->r->cut || hd_interrupt_requested();
}

enum hd_status hd_sink_finish(struct hd_sink *s, struct hd_err *err)
{
    hd_pairs_sort(&s->r->pairs);
    hd_pairs_sort(&s->r->places);
    hd_map_fini(&s->places);
    if (s->few.bits)
        hd_bitset_fini(&s->few);
    if (s->full)
        return hd_err_set(err, HD_ERR_LIMIT, "more than %llu racing pairs",
                          (unsigned long long)s->opts->max_pairs);
    if (hd_interrupt_requested())
        return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    return HD_OK;
}

void hd_history_init(struct hd_history *h, const struct hd_trace *t,
                     const struct hd_detect_opts *opts, struct hd_detect_result *r,
                     const struct hd_locksets *ls)
{
    *h = (struct hd_history){.t = t, .ls = ls};
    hd_sink_init(&h->sink, t, opts, r);
    h->contended = hd_contended_new(t);
    h->seen = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *h->seen);
    h->n_spots = t->places.count;
    for (size_t e = 0; opts->spots && e < t->n_events; e++)
        h->n_spots = opts->spots[e] >= h->n_spots ? opts->spots[e] + (size_t)1 : h->n_spots;
    h->mark = hd_calloc(h->n_spots, sizeof *h->mark);
}

static uint32_t spot(const struct hd_history *h, hd_eid e)
{
    return h->sink.opts->spots ? h->sink.opts->spots[e] : h->t->place[e];
}

static struct entry *entries(struct body *b)
{
    return b->cap ? b->entries.many : &b->entries.one;
}

/* Keeps only the latest entry of each place. */
static void compact(struct hd_history *h, struct body *b)
{
    struct entry *list = entries(b);
    uint32_t to = b->n;
    h->marked++;
    for (uint32_t i = b->n; i-- > 0;) {
        if (h->mark[list[i].what] == h->marked)
            continue;
        h->mark[list[i].what] = h->marked;
        list[--to] = list[i];
    }
    b->n -= to;
    memmove(list, list + to, b->n * sizeof *list);
    b->limit = b->n < 8 ? 16 : b->n * 2;
}

static void append(struct hd_history *h, struct body *b, uint32_t what, uint32_t tick)
{
    bool all = h->sink.opts->pairs;
    if (!all && b->n && entries(b)[b->n - 1].what == what) {
        entries(b)[b->n - 1].tick = tick;
        return;
    }
    if (!all && b->n >= b->limit)
        compact(h, b);
    if (b->n && b->n >= b->cap) {
        uint32_t cap = b->cap ? b->cap * 2 : 4;
        struct entry *many = hd_alloc(cap * sizeof *many);
        memcpy(many, entries(b), b->n * sizeof *many);
        if (b->cap)
            hd_free(b->entries.many, b->cap * sizeof *many);
        b->entries.many = many;
        b->cap = cap;
    }
    entries(b)[b->n++] = (struct entry){what, tick};
}

/* Reports the access of thread u with this tick and e, if their places are new. */
static void report_one(struct hd_history *h, hd_tid u, const struct entry *past, hd_eid e)
{
    const struct hd_detect_opts *opts = h->sink.opts;
    size_t n;
    if (opts->unordered && !hd_sink_has_places(&h->sink, past->what, spot(h, e)))
        opts->unordered(opts->ctx, hd_trace_thread_events(h->t, u, &n)[past->tick - 1], e);
}

/* Reports the accesses of a record of thread u that are newer than `known`. */
static void report(struct hd_history *h, struct body *b, hd_tid u, hd_eid e, uint32_t known)
{
    const struct entry *list = entries(b);
    for (uint32_t i = b->n; i-- > 0 && list[i].tick > known;) {
        if (h->sink.opts->pairs) {
            hd_sink_pair(&h->sink, list[i].what, e);
            continue;
        }
        report_one(h, u, &list[i], e);
        hd_sink_places(&h->sink, list[i].what, spot(h, e));
    }
}

static size_t block_bytes(size_t cap)
{
    return cap * (sizeof(struct head) + sizeof(struct body));
}

/* Bodies hold pointers, heads come in whole words: both stay aligned for an even number of heads.
 */
static void grow(struct hd_past *seen)
{
    uint32_t cap = seen->cap ? seen->cap * 2 : 2;
    struct head *head = hd_alloc(block_bytes(cap));
    struct body *body = (struct body *)(void *)(head + cap);
    if (seen->n) {
        memcpy(head, seen->head, seen->n * sizeof *head);
        memcpy(body, seen->body, seen->n * sizeof *body);
    }
    hd_free(seen->head, block_bytes(seen->cap));
    seen->head = head;
    seen->body = body;
    seen->cap = cap;
}

/* The record of this access, made if it is new. */
static uint32_t own_record(struct hd_past *seen, hd_tid self, enum hd_access_kind kind,
                           uint32_t lockset)
{
    for (uint32_t i = 0; i < seen->n; i++) {
        const struct head *r = &seen->head[i];
        if (r->thread == self && r->kind == kind && r->lockset == lockset)
            return i;
    }
    if (seen->n == seen->cap)
        grow(seen);
    seen->head[seen->n] =
        (struct head){.lockset = lockset, .thread = (hd_tid)self, .kind = (uint8_t)kind};
    seen->body[seen->n] = (struct body){.limit = 16};
    return seen->n++;
}

/* Reports the races of e with the records of the location, and finds out what e knows. */
static bool scan(struct hd_history *h, struct hd_past *seen, hd_eid e, const uint32_t *clock,
                 uint32_t lockset, struct hd_knows *knows)
{
    enum hd_access_kind kind = hd_access_kind(h->t->op[e]);
    hd_tid self = h->t->thread[e];
    bool racy = false;
    *knows = (struct hd_knows){true, true};
    for (uint32_t i = 0; i < seen->n; i++) {
        const struct head *r = &seen->head[i];
        if (r->thread == self || r->last <= clock[r->thread])
            continue;
        knows->all = false;
        knows->writes &= !(r->kind & 1);
        if (!hd_kinds_conflict(kind, r->kind) ||
            (h->ls && hd_locksets_ids_exclude(h->ls, r->lockset, lockset)))
            continue;
        racy = true;
        report(h, &seen->body[i], r->thread, e, clock[r->thread]);
    }
    return racy;
}

static void ordered_access(struct hd_history *h, hd_eid e, const uint32_t *clock, uint32_t lockset)
{
    const struct hd_trace *t = h->t;
    struct hd_past *seen = &h->seen[t->obj[e]];
    enum hd_access_kind kind = hd_access_kind(t->op[e]);
    hd_tid self = t->thread[e];
    bool writes = hd_op_writes(t->op[e]);
    struct hd_knows knows = hd_peaks_known(&seen->peaks, self, clock);
    seen->racy = false;
    if (!knows.all && (writes || !knows.writes))
        seen->racy = scan(h, seen, e, clock, lockset, &knows);
    hd_peaks_pass(&seen->peaks, knows, writes, self, t->pos[e] + 1);
    uint32_t own = own_record(seen, self, kind, lockset);
    seen->head[own].last = t->pos[e] + 1;
    append(h, &seen->body[own], h->sink.opts->pairs ? e : spot(h, e), t->pos[e] + 1);
    seen->recent = own;
}

/* Compares a new kind of access with all records; both sides become racy. */
static void compare(struct hd_history *h, struct hd_past *seen, hd_eid e, uint32_t own)
{
    struct head *mine = &seen->head[own];
    for (uint32_t i = 0; i < seen->n; i++) {
        struct head *r = &seen->head[i];
        if (r->thread == mine->thread || !hd_kinds_conflict(mine->kind, r->kind) ||
            hd_locksets_ids_exclude(h->ls, r->lockset, mine->lockset))
            continue;
        mine->racy = r->racy = true;
        report(h, &seen->body[i], r->thread, e, 0);
    }
}

/* Without order, an access adds something only from a place that is new to its record. */
static void timeless_access(struct hd_history *h, hd_eid e, uint32_t lockset)
{
    const struct hd_trace *t = h->t;
    struct hd_past *seen = &h->seen[t->obj[e]];
    bool all = h->sink.opts->pairs;
    uint32_t own = own_record(seen, t->thread[e], hd_access_kind(t->op[e]), lockset);
    struct body *b = &seen->body[own];
    const struct entry *list = entries(b);
    bool repeat = false;
    for (uint32_t i = b->n; !all && i-- > 0 && !repeat;)
        repeat = list[i].what == spot(h, e);
    if (!repeat) {
        compare(h, seen, e, own);
        append(h, &seen->body[own], all ? e : spot(h, e), 1);
    }
    seen->recent = own;
    seen->racy = seen->head[own].racy;
}

void hd_history_access(struct hd_history *h, hd_eid e, const uint32_t *clock, uint32_t version)
{
    const struct hd_trace *t = h->t;
    if (h->contended[t->obj[e]] != HD_LOC_CONTENDED)
        return;
    struct hd_past *seen = &h->seen[t->obj[e]];
    uint32_t lockset = h->ls ? hd_locksets_id(h->ls, e) : 0;
    if (seen->n && seen->version == version && !h->sink.opts->pairs) {
        struct head *r = &seen->head[seen->recent];
        struct body *b = &seen->body[seen->recent];
        struct entry *last = &entries(b)[b->n - 1];
        if (r->thread == t->thread[e] && last->what == spot(h, e) && r->lockset == lockset &&
            r->kind == hd_access_kind(t->op[e])) {
            last->tick = r->last = t->pos[e] + 1;
            hd_peaks_repeat(&seen->peaks, r->kind & 1, r->last);
            h->sink.r->racy_events += h->timeless ? r->racy : seen->racy;
            return;
        }
    }
    if (h->timeless)
        timeless_access(h, e, lockset);
    else
        ordered_access(h, e, clock, lockset);
    seen->version = version;
    h->sink.r->racy_events += seen->racy;
}

static void free_seen(struct hd_past *seen)
{
    for (uint32_t i = 0; i < seen->n; i++)
        if (seen->body[i].cap)
            hd_free(seen->body[i].entries.many, seen->body[i].cap * sizeof(struct entry));
    hd_free(seen->head, block_bytes(seen->cap));
}

enum hd_status hd_history_finish(struct hd_history *h, struct hd_err *err)
{
    size_t locs = hd_trace_n_objs(h->t, HD_OBJ_LOC);
    for (size_t x = 0; x < locs; x++)
        free_seen(&h->seen[x]);
    hd_free(h->seen, locs * sizeof *h->seen);
    hd_contended_free(h->contended, h->t);
    hd_free(h->mark, h->n_spots * sizeof *h->mark);
    return hd_sink_finish(&h->sink, err);
}
