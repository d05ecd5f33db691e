#include "predict/index/must_int.h"

#include "base/alloc.h"

#include <string.h>

struct hd_must_watch {
    size_t events;
    struct hd_u32vec sources; /* HD_MUST_WATCHED for each read that was looked at, in their order */
    uint64_t *moved, *moved_before; /* by event, one bit */
};

/* Instead of the first source: it may be anything. */
#define UNSURE (HD_EID_NONE - 1)

static size_t words(size_t events)
{
    return (events + 63) / 64;
}

struct hd_must_watch *hd_must_watch_new(size_t events)
{
    struct hd_must_watch *watch = hd_calloc(1, sizeof *watch);
    watch->events = events;
    watch->moved = hd_calloc(words(events), sizeof *watch->moved);
    watch->moved_before = hd_calloc(words(events), sizeof *watch->moved_before);
    return watch;
}

void hd_must_watch_free(struct hd_must_watch *watch)
{
    if (!watch)
        return;
    hd_free(watch->moved, words(watch->events) * sizeof *watch->moved);
    hd_free(watch->moved_before, words(watch->events) * sizeof *watch->moved_before);
    hd_u32vec_fini(&watch->sources);
    hd_free(watch, sizeof *watch);
}

void hd_must_watch_next(struct hd_must_watch *watch)
{
    uint64_t *last = watch->moved_before;
    watch->moved_before = watch->moved;
    watch->moved = last;
    memset(last, 0, words(watch->events) * sizeof *last);
}

static bool bit(const uint64_t *bits, hd_eid e)
{
    return bits[e / 64] >> (e % 64) & 1;
}

void hd_must_moved(struct hd_must_pass *p, hd_eid e)
{
    if (p->watch)
        p->watch->moved[e / 64] |= UINT64_C(1) << (e % 64);
}

/* A write whose value comes from reads of which more is known now. */
void hd_must_note_write(struct hd_must_pass *p, hd_eid w)
{
    const struct hd_trace *t = p->m->t;
    if (!p->watch || bit(p->watch->moved, w))
        return;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    bool moved = deps.all && p->fresh_moved[t->thread[w]];
    for (uint32_t i = 0; i < deps.n && p->fresh_moved[t->thread[w]]; i++)
        moved |= bit(p->watch->moved, hd_trace_back(t, w, deps.dist[i]));
    if (moved)
        hd_must_moved(p, w);
}

void hd_must_watch_set(struct hd_must_pass *p, bool sure)
{
    if (!p->watch)
        return;
    uint32_t *at = p->watch->sources.data + p->reads * HD_MUST_WATCHED;
    for (uint32_t i = 0; i < HD_MUST_WATCHED; i++)
        at[i] = i < p->n_added ? p->added[i] : HD_EID_NONE;
    if (!sure || p->n_added > HD_MUST_WATCHED)
        at[0] = UNSURE;
}

bool hd_must_watch_same(struct hd_must_pass *p, hd_eid r)
{
    const struct hd_must_watch *watch = p->watch;
    if (!watch)
        return false;
    size_t at = p->reads * HD_MUST_WATCHED;
    if (at == p->watch->sources.len) { /* the first pass that watches */
        hd_u32vec_reserve(&p->watch->sources, at + HD_MUST_WATCHED);
        p->watch->sources.len += HD_MUST_WATCHED;
        return false;
    }
    const uint32_t *source = watch->sources.data + at;
    if (source[0] == UNSURE || bit(watch->moved, r))
        return false;
    for (uint32_t i = 0; i < HD_MUST_WATCHED && source[i] != HD_EID_NONE; i++) {
        if (bit(source[i] < r ? watch->moved : watch->moved_before, source[i]))
            return false;
        p->again |= source[i] > r;
    }
    return true;
}
