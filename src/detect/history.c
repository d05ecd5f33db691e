#include "detect/history.h"

#include "base/alloc.h"
#include "base/interrupt.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t what; /* place; or event, when event pairs are wanted */
    uint32_t tick;
};

/* Accesses of one location, thread, kind and lock set, oldest first. */
struct hd_record {
    uint32_t next; /* record + 1 of the same location, or 0 */
    uint32_t lockset;
    uint16_t thread;
    uint8_t kind;
    uint32_t n, cap, limit; /* cap 0: the only entry is `one`; limit: when to throw out repeats */
    union {
        struct entry one;
        struct entry *many;
    } entries;
};

struct hd_seen {
    uint32_t first;   /* record + 1, or 0 */
    uint32_t recent;  /* the record of the last access + 1 */
    uint32_t version; /* of the clock at the last access */
    bool racy;        /* the last access raced */
};

void hd_sink_init(struct hd_sink *s, const struct hd_trace *t, const struct hd_detect_opts *opts,
                  struct hd_detect_result *r)
{
    *s = (struct hd_sink){.t = t, .opts = opts, .r = r};
    *r = (struct hd_detect_result){.rounds = 1};
}

void hd_sink_places(struct hd_sink *s, uint32_t p, uint32_t q)
{
    bool fresh;
    uint64_t key = p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
    hd_map_put(&s->places, key, &fresh);
    if (fresh)
        hd_pairs_push(&s->r->places, p, q);
}

bool hd_sink_has_places(const struct hd_sink *s, uint32_t p, uint32_t q)
{
    uint32_t value;
    return hd_map_get(&s->places, p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p, &value);
}

void hd_sink_pair(struct hd_sink *s, hd_eid a, hd_eid b)
{
    if (s->opts->max_pairs && s->r->pairs.len >= s->opts->max_pairs) {
        s->full = true;
        return;
    }
    hd_pairs_push(&s->r->pairs, a, b);
    hd_sink_places(s, s->t->place[a], s->t->place[b]);
}

bool hd_sink_stopped_now(const struct hd_sink *s)
{
    return s->full || hd_interrupt_requested();
}

enum hd_status hd_sink_finish(struct hd_sink *s, struct hd_err *err)
{
    hd_pairs_sort(&s->r->pairs);
    hd_pairs_sort(&s->r->places);
    hd_map_fini(&s->places);
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
    h->seen = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *h->seen);
    h->mark = hd_calloc(t->places.count, sizeof *h->mark);
}

static struct entry *entries(struct hd_record *r)
{
    return r->cap ? r->entries.many : &r->entries.one;
}

/* Keeps only the latest entry of each place. */
static void compact(struct hd_history *h, struct hd_record *r)
{
    struct entry *list = entries(r);
    uint32_t to = r->n;
    h->marked++;
    for (uint32_t i = r->n; i-- > 0;) {
        if (h->mark[list[i].what] == h->marked)
            continue;
        h->mark[list[i].what] = h->marked;
        list[--to] = list[i];
    }
    r->n -= to;
    memmove(list, list + to, r->n * sizeof *list);
    r->limit = r->n < 8 ? 16 : r->n * 2;
}

static void append(struct hd_history *h, struct hd_record *r, uint32_t what, uint32_t tick)
{
    bool all = h->sink.opts->pairs;
    if (!all && r->n && entries(r)[r->n - 1].what == what) {
        entries(r)[r->n - 1].tick = tick;
        return;
    }
    if (!all && r->n >= r->limit)
        compact(h, r);
    if (r->n && r->n >= r->cap) {
        uint32_t cap = r->cap ? r->cap * 2 : 4;
        struct entry *many = hd_alloc(cap * sizeof *many);
        memcpy(many, entries(r), r->n * sizeof *many);
        if (r->cap)
            hd_free(r->entries.many, r->cap * sizeof *many);
        r->entries.many = many;
        r->cap = cap;
    }
    entries(r)[r->n++] = (struct entry){what, tick};
}

/* Reports the accesses of r that are newer than `known`; the newest one is. */
static void report(struct hd_history *h, struct hd_record *r, hd_eid e, uint32_t known)
{
    const struct entry *list = entries(r);
    for (uint32_t i = r->n; i-- > 0 && list[i].tick > known;) {
        if (h->sink.opts->pairs)
            hd_sink_pair(&h->sink, list[i].what, e);
        else
            hd_sink_places(&h->sink, list[i].what, h->t->place[e]);
    }
}

static uint32_t new_record(struct hd_history *h, struct hd_seen *seen, hd_tid u,
                           enum hd_access_kind kind, uint32_t lockset)
{
    if (h->n_records == h->cap_records) {
        size_t cap = h->cap_records ? h->cap_records * 2 : 64;
        h->record =
            hd_realloc(h->record, h->cap_records * sizeof *h->record, cap * sizeof *h->record);
        h->cap_records = cap;
    }
    h->record[h->n_records++] = (struct hd_record){.next = seen->first,
                                                   .lockset = lockset,
                                                   .thread = (uint16_t)u,
                                                   .kind = (uint8_t)kind,
                                                   .limit = 16};
    seen->first = (uint32_t)h->n_records;
    return seen->first;
}

/* Walks all records of the location: reports races, finds the record of this access. */
static void full_access(struct hd_history *h, hd_eid e, const uint32_t *clock, uint32_t lockset)
{
    const struct hd_trace *t = h->t;
    struct hd_seen *seen = &h->seen[t->obj[e]];
    enum hd_access_kind kind = hd_access_kind(t->op[e]);
    hd_tid self = t->thread[e];
    uint32_t own = 0;
    seen->racy = false;
    for (uint32_t i = seen->first; i; i = h->record[i - 1].next) {
        struct hd_record *r = &h->record[i - 1];
        if (r->thread == self) {
            if (r->kind == kind && r->lockset == lockset)
                own = i;
            continue;
        }
        if (!hd_kinds_conflict(kind, r->kind) || entries(r)[r->n - 1].tick <= clock[r->thread])
            continue;
        if (h->ls && hd_locksets_ids_exclude(h->ls, r->lockset, lockset))
            continue;
        seen->racy = true;
        report(h, r, e, clock[r->thread]);
    }
    if (!own)
        own = new_record(h, seen, self, kind, lockset);
    append(h, &h->record[own - 1], h->sink.opts->pairs ? e : t->place[e], t->pos[e] + 1);
    seen->recent = own;
}

void hd_history_access(struct hd_history *h, hd_eid e, const uint32_t *clock, uint32_t version)
{
    const struct hd_trace *t = h->t;
    struct hd_seen *seen = &h->seen[t->obj[e]];
    uint32_t lockset = h->ls ? hd_locksets_id(h->ls, e) : 0;
    if (seen->recent && seen->version == version) {
        struct hd_record *r = &h->record[seen->recent - 1];
        struct entry *last = &entries(r)[r->n - 1];
        if (r->thread == t->thread[e] && last->what == t->place[e] && r->lockset == lockset &&
            r->kind == hd_access_kind(t->op[e]) && !h->sink.opts->pairs) {
            last->tick = t->pos[e] + 1;
            h->sink.r->racy_events += seen->racy;
            return;
        }
    }
    full_access(h, e, clock, lockset);
    seen->version = version;
    h->sink.r->racy_events += seen->racy;
}

enum hd_status hd_history_finish(struct hd_history *h, struct hd_err *err)
{
    for (size_t i = 0; i < h->n_records; i++)
        if (h->record[i].cap)
            hd_free(h->record[i].entries.many, h->record[i].cap * sizeof(struct entry));
    hd_free(h->record, h->cap_records * sizeof *h->record);
    hd_free(h->seen, hd_trace_n_objs(h->t, HD_OBJ_LOC) * sizeof *h->seen);
    hd_free(h->mark, h->t->places.count * sizeof *h->mark);
    return hd_sink_finish(&h->sink, err);
}
