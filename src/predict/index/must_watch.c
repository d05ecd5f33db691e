#include "predict/index/must_int.h"

#include "base/alloc.h"
#include "base/bitset.h"

#include <string.h>

struct hd_must_watch {
    size_t events;
    struct hd_u32vec of;   /* by number of the read: where its entry in `seen` begins; 0: none */
    struct hd_u32vec seen; /* entries: a head, then the events that the answer rests on */
    struct hd_bitset moved, moved_before; /* by event */
};

/* A head: how many events follow, for how many there is room, and whether one that comes after the
 * read was taken for a source. */
#define N_OF(head)    ((head)&0xff)
#define ROOM_OF(head) ((head) >> 8 & 0xff)
#define LATER         (UINT32_C(1) << 16)

struct hd_must_watch *hd_must_watch_new(size_t events)
{
    struct hd_must_watch *watch = hd_calloc(1, sizeof *watch);
    watch->events = events;
    hd_u32vec_push(&watch->seen, 0); /* no entry begins at 0 */
    hd_bitset_init(&watch->moved, events);
    hd_bitset_init(&watch->moved_before, events);
    return watch;
}

void hd_must_watch_free(struct hd_must_watch *watch)
{
    if (!watch)
        return;
    hd_bitset_fini(&watch->moved);
    hd_bitset_fini(&watch->moved_before);
    hd_u32vec_fini(&watch->of);
    hd_u32vec_fini(&watch->seen);
    hd_free(watch, sizeof *watch);
}

void hd_must_watch_next(struct hd_must_watch *watch)
{
    hd_bitset_fini(&watch->moved_before);
    watch->moved_before = watch->moved;
    hd_bitset_init(&watch->moved, watch->events);
}

void hd_must_moved(struct hd_must_pass *p, hd_eid e)
{
    if (p->watch)
        hd_bitset_add(&p->watch->moved, e);
}

/* A write whose value comes from reads of which more is known now. */
void hd_must_note_write(struct hd_must_pass *p, hd_eid w)
{
    const struct hd_trace *t = p->m->t;
    if (!p->watch || !p->fresh_moved[t->thread[w]] || hd_bitset_has(&p->watch->moved, w))
        return;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    bool moved = deps.all;
    for (uint32_t i = 0; i < deps.n && !moved; i++)
        moved = hd_bitset_has(&p->watch->moved, hd_trace_back(t, w, deps.dist[i]));
    if (moved)
        hd_must_moved(p, w);
}

/* Where the entry of the read in hand goes, with room for n events; 0: nowhere. */
static uint32_t entry_for(struct hd_must_watch *watch, size_t read, uint32_t n)
{
    uint32_t old = watch->of.data[read];
    size_t end = watch->seen.len;
    if (old && ROOM_OF(watch->seen.data[old]) >= n)
        return old;
    if (end + n >= UINT32_MAX)
        return 0;
    hd_u32vec_reserve(&watch->seen, end + n + 1);
    watch->seen.len += n + 1;
    watch->seen.data[end] = n << 8;
    return (uint32_t)end;
}

void hd_must_watch_set(struct hd_must_pass *p, bool sure)
{
    struct hd_must_watch *watch = p->watch;
    if (!watch)
        return;
    uint32_t n = p->n_seen;
    uint32_t at = sure && n <= HD_MUST_SEEN ? entry_for(watch, p->reads - 1, n) : 0;
    watch->of.data[p->reads - 1] = at;
    if (!at)
        return;
    uint32_t *entry = watch->seen.data + at;
    entry[0] = ROOM_OF(entry[0]) << 8 | n | (p->seen_later ? LATER : 0);
    memcpy(entry + 1, p->seen, n * sizeof *entry);
}

/* Whether a clock that the entry's answer rests on may be another one now. One of an earlier event
 * is compared with the pass before, one of a later event with the two passes before this one, since
 * a read knows later events from the pass before. */
static bool has_moved(const struct hd_must_watch *watch, const uint32_t *entry, hd_eid r)
{
    for (uint32_t i = 1; i <= N_OF(entry[0]); i++)
        if (hd_bitset_has(&watch->moved_before, entry[i]) ||
            (entry[i] < r && hd_bitset_has(&watch->moved, entry[i])))
            return true;
    return hd_bitset_has(&watch->moved, r);
}

bool hd_must_watch_same(struct hd_must_pass *p, hd_eid r, bool *told)
{
    struct hd_must_watch *watch = p->watch;
    size_t read = p->reads++;
    if (!watch)
        return false;
    if (read == watch->of.len) /* the first pass that watches */
        hd_u32vec_push(&watch->of, 0);
    const uint32_t *entry = watch->seen.data + watch->of.data[read];
    if (!watch->of.data[read] || has_moved(watch, entry, r))
        return false;
    const uint32_t *fresh = hd_must_fresh(p->before, r);
    *told = fresh != NULL;
    if (fresh)
        memcpy(p->low, fresh, p->m->threads * sizeof *p->low);
    p->again |= (entry[0] & LATER) != 0;
    return true;
}
