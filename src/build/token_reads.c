/* Dependences: from tokens (abi/rt_abi.h) to reads that are events of the trace.
 *
 * A read of memory that is not shared is no event; what it depends on stands for it (leave.c). A
 * read that an earlier event of the thread depends on is left out: see docs/ALGORITHMS.md, "What an
 * event has decided". With keep_all neither happens.
 */
#include "build/walk.h"

#define WIDE                                                                                       \
    64 /* a range with more reads than this counts as all: lists would grow without bound */
#define LONGEST 4096 /* the same, of reads that are no events and depend on the same few */

static const struct hd_walk_known *known_at(const struct hd_walk_thread *t, size_t i)
{
    return (const struct hd_walk_known *)t->known.data + i;
}

static struct hd_walk_read *read_at(const struct hd_walk_thread *t, size_t i)
{
    return (struct hd_walk_read *)t->reads.data + i;
}

void hd_walk_known(struct hd_walk *w, uint32_t set)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_walk_known now = {t->steps, HD_WALK_SET | set};
    const struct hd_walk_known *last = t->known.len ? known_at(t, t->known.len - 1) : NULL;
    if (!last || last->id != now.id || last->ref != now.ref)
        *(struct hd_walk_known *)hd_vec_push(&t->known) = now;
}

/* The first entry whose id is at least this. Mostly the last ones are wanted. */
static size_t first_from(const struct hd_walk_thread *t, uint32_t id)
{
    size_t low = 0, high = t->known.len, step = 1;
    while (high && known_at(t, high - 1)->id >= id) {
        low = high > step ? high - step : 0;
        if (low == 0 || known_at(t, low)->id < id)
            break;
        high = low;
        step *= 2;
    }
    if (high && known_at(t, high - 1)->id < id)
        return high;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (known_at(t, mid)->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void add_read(const struct hd_walk_thread *t, uint32_t read, struct hd_u32vec *list)
{
    if (!read_at(t, read)->decided)
        hd_u32vec_push(list, read);
}

/* What the entries [from, to) depend on, appended to list. False: too much. */
static bool add_entries(const struct hd_walk *w, const struct hd_walk_thread *t, size_t from,
                        size_t to, struct hd_u32vec *list)
{
    size_t before = list->len, events = 0;
    if (!w->own.keep_all && from < t->branched)
        from = t->branched;
    if (from < to && to - from > LONGEST)
        return false;
    for (uint32_t last = UINT32_MAX; from < to; from++) {
        uint32_t ref = known_at(t, from)->ref;
        size_t n = 0;
        if (ref == last)
            continue;
        last = ref;
        events += !(ref & HD_WALK_SET);
        if (!(ref & HD_WALK_SET))
            add_read(t, ref, list);
        const uint32_t *reads =
            ref & HD_WALK_SET ? hd_depset_reads(&w->own.sets, ref & ~HD_WALK_SET, &n) : NULL;
        for (size_t i = 0; i < n; i++)
            add_read(t, reads[i], list);
        if (events > WIDE || list->len - before > 4 * WIDE)
            return false;
    }
    return true;
}

/* The reads in the token's range, appended to list. False: too many, take all. */
static bool add_reads(const struct hd_walk *w, const struct hd_walk_thread *t, hd_tok tok,
                      struct hd_u32vec *list)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok);
    if (hi == 0) /* HD_TOK_NONE, or what a thread gets at its start: it comes from no read of it */
        return true;
    if (tok == HD_TOK_ALL)
        return !w->own.keep_all && t->known.len == t->branched;
    if (lo > hi || !t->known.len)
        return true; /* what was copied had no bytes; or there is nothing to depend on */
    size_t from = first_from(t, lo); /* lo 0: all up to hi */
    size_t to = hi >= t->steps ? t->known.len : first_from(t, hi + 1);
    return from >= to || add_entries(w, t, from, to, list);
}

bool hd_walk_may_depend(const struct hd_walk_thread *t, hd_tok tok)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok);
    if (hi == 0 || t->known.len == t->branched)
        return false;
    if (tok == HD_TOK_ALL)
        return true;
    return lo <= hi && known_at(t, t->known.len - 1)->id >= lo &&
           known_at(t, t->branched)->id <= hi;
}

void hd_walk_list(struct hd_walk *w, unsigned role, struct hd_dep_list *out)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_u32vec *reads = &w->out.dep_reads[role], *list = &w->out.dep_list[role];
    list->len = 0;
    for (size_t i = 0; i < reads->len; i++)
        hd_u32vec_push(list, read_at(t, reads->data[i])->event);
    *out = (struct hd_dep_list){true, (uint32_t)list->len, list->data};
}

bool hd_walk_collect(struct hd_walk *w, unsigned role, hd_tok tok, struct hd_dep_list *out)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_u32vec *list = &w->out.dep_reads[role];
    list->len = 0;
    bool some = add_reads(w, t, tok, list);
    for (size_t i = 0; some && i < t->more[role].len; i++)
        some =
            add_reads(w, t, *(hd_tok *)hd_vec_at(&t->more[role], i), list) && list->len <= 4 * WIDE;
    if (!some)
        return false;
    hd_depsets_sort(list);
    hd_walk_list(w, role, out);
    return true;
}

void hd_walk_decide(struct hd_walk *w, unsigned role)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    const struct hd_u32vec *reads = &w->out.dep_reads[role];
    for (size_t i = 0; !w->own.keep_all && i < reads->len; i++)
        read_at(t, reads->data[i])->decided = true;
}

bool hd_walk_open_reads(const struct hd_walk *w, uint32_t since)
{
    const struct hd_walk_thread *t = (const struct hd_walk_thread *)w->threads.data + w->current;
    if (w->own.keep_all)
        return t->known.len > since;
    return t->known.len > (since > t->branched ? since : t->branched);
}

enum hd_status hd_walk_branch_all(struct hd_walk *w, uint32_t place)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->info->from_pass || (!w->own.keep_all && t->branched == t->known.len))
        return HD_OK;
    t->branched = t->call_reads = (uint32_t)t->known.len;
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = place};
    return hd_walk_emit(w, &ev);
}

void hd_walk_in_call(struct hd_walk_thread *t, const struct hd_raw *rec)
{
    if (!hd_walk_is_joined(rec))
        t->call_reads = (uint32_t)t->known.len;
}

uint32_t hd_walk_place_of(struct hd_walk *w, struct hd_walk_access *a)
{
    if (!a->placed)
        a->ev.place = hd_walk_place(w, a->rec);
    a->placed = true;
    return a->ev.place;
}

/* What the call has read since this was last asked, as w->out.dep_reads[1]. False: too much. */
static bool collect_call(struct hd_walk *w)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_u32vec *list = &w->out.dep_reads[1]; /* a call has no token of its address */
    list->len = 0;
    if (!add_entries(w, t, t->call_reads, t->known.len, list))
        return false;
    hd_depsets_sort(list);
    t->call_reads = (uint32_t)t->known.len;
    return true;
}

bool hd_walk_call_needs(struct hd_walk *w, struct hd_dep_list *out)
{
    *out = (struct hd_dep_list){.given = true};
    if (!hd_walk_open_reads(w, hd_walk_current(w)->call_reads))
        return true;
    if (!collect_call(w)) {
        *out = (struct hd_dep_list){0};
        return false;
    }
    hd_walk_list(w, 1, out);
    hd_walk_decide(w, 1);
    return true;
}

enum hd_status hd_walk_branch_call(struct hd_walk *w, struct hd_walk_access *a)
{
    if (!hd_walk_open_reads(w, hd_walk_current(w)->call_reads))
        return HD_OK;
    if (!collect_call(w))
        return hd_walk_branch_all(w, hd_walk_place_of(w, a));
    struct hd_event ev = {.op = HD_OP_BRANCH};
    hd_walk_list(w, 1, &ev.deps);
    if (!w->own.keep_all && !ev.deps.n)
        return HD_OK;
    ev.place = hd_walk_place_of(w, a);
    hd_walk_decide(w, 1);
    return hd_walk_emit(w, &ev);
}

enum hd_status hd_walk_branch(struct hd_walk *w, const struct hd_raw *rec, hd_tok tok)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_event ev = {.op = HD_OP_BRANCH};
    bool listed = hd_walk_collect(w, 0, tok, &ev.deps);
    /* A choice that no read decides says nothing. */
    if (!w->own.keep_all && (listed ? !ev.deps.n : t->branched == t->known.len))
        return HD_OK;
    ev.place = hd_walk_place(w, rec);
    if (!listed) {
        ev.deps = (struct hd_dep_list){0};
        t->branched = (uint32_t)t->known.len;
    } else {
        hd_walk_decide(w, 0);
    }
    return hd_walk_emit(w, &ev);
}
