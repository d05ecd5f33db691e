/* Memory of a thread's own stack is used again and again, by one call after the other. Where one of
 * them has lent it to other threads, it is shared; but in the stretches between two such uses the
 * owner alone works on it, and if every schedule orders what others do before and behind such a
 * stretch, its accesses become no events. See docs/algorithms/building.md, "Memory that is lent".
 *
 * The walk that makes the skeleton notes, for each granule of a stack that is shared, who else used
 * it and where the owner's stretches begin and end. The walks after it turn the granule's mark
 * `shared` off and on at these steps of the owner.
 */
#include "build/lent_memory.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "build/walk.h"

#include <stdlib.h>
#include <string.h>

#define LEAST  8       /* accesses that make a stretch worth while */
#define OTHERS 32      /* stretches of others in one granule; with more nothing is said of it */
#define MOST   1000000 /* stretches in all */

/* One granule. A stretch goes from a write up to, and without, another one from which on all bytes
 * that were written in the stretch are written again before they are read. */
struct slot {
    uint64_t addr, linear;
    uint32_t owner;                  /* number of the thread */
    uint32_t others;                 /* how many there are so far */
    uint32_t last_other;             /* the last of them */
    uint32_t from, from_events;      /* step of its first write; 0: there is none at hand */
    uint32_t used;                   /* accesses since then */
    uint32_t again, again_used;      /* where the end may be; 0: nowhere */
    uint32_t to, to_events, to_used; /* where it is, as of now; 0: nowhere */
    uint8_t written, covered;        /* bytes since `from`; since `again` */
    uint8_t holds;                   /* those of `written` that did not end (GONE) since then */
    bool apart;                      /* there was a stretch since the last other */
    bool inside;                     /* since `from` the owner used it in a block */
    bool changed;                    /* by an other */
    bool failed;
};

/* Uses of a granule by one other thread, one after the other: its events before the first and after
 * the last of them, and the blocks that were open then. */
struct other {
    uint32_t slot, thread;
    uint32_t before, after;
    uint32_t first_block, last_block; /* 0: none */
    bool reads, writes;               /* in a block */
};

/* An access of the current thread. */
struct access {
    uint32_t step, before, after; /* of the thread: its number, and events around it */
    bool own;                     /* it may be left out where the owner makes it */
    bool reads, writes;
    bool inside; /* in a block */
    bool ends;   /* it writes, and no thread may read that */
};

struct span {
    uint32_t slot;
    uint32_t others; /* how many of the granule's came before it */
    uint32_t from, from_events;
    uint32_t to, to_events; /* to 0: the end of the log */
    bool inside;            /* some of it is in blocks, none of which goes on beyond it */
};

struct turn {
    uint32_t thread, step, slot;
    bool shared;
};

struct hd_walk_lent {
    struct hd_map numbers; /* linear address of a granule -> slot */
    struct hd_vec slots, others, spans, turns;
};

struct hd_walk_lent *hd_lent_memory_new(void)
{
    struct hd_walk_lent *l = hd_calloc(1, sizeof *l);
    l->slots = HD_VEC_INIT(struct slot);
    l->others = HD_VEC_INIT(struct other);
    l->spans = HD_VEC_INIT(struct span);
    l->turns = HD_VEC_INIT(struct turn);
    return l;
}

void hd_lent_memory_free(struct hd_walk_lent *l)
{
    if (!l)
        return;
    hd_map_fini(&l->numbers);
    hd_vec_fini(&l->slots);
    hd_vec_fini(&l->others);
    hd_vec_fini(&l->spans);
    hd_vec_fini(&l->turns);
    hd_free(l, sizeof *l);
}

void hd_lent_memory_restart(struct hd_walk *w)
{
    struct hd_walk_lent *l = w->mem.lent;
    hd_map_clear(&l->numbers);
    l->slots.len = l->others.len = l->spans.len = l->turns.len = 0;
}

/* ---- while the skeleton is made ---- */

static void end_span(struct hd_walk_lent *l, uint32_t number, struct slot *s)
{
    if (s->from && s->to && s->to_used >= LEAST && l->spans.len < MOST)
        *(struct span *)hd_vec_push(&l->spans) = (struct span){
            number, s->others, s->from, s->from_events, s->to, s->to_events, s->inside};
    s->from = s->again = s->to = 0;
}

/* The owner writes or reads these bytes, and nothing else is to be said about it. */
static void use_own(struct hd_walk_lent *l, uint32_t number, struct slot *s, unsigned bytes,
                    const struct access *a)
{
    if (!s->from && (!a->writes || a->inside))
        return;
    if (!a->writes && bytes & ~(unsigned)s->holds) {
        end_span(l, number, s); /* it reads what is older */
        return;
    }
    if (!a->writes && s->again && bytes & ~(unsigned)s->covered)
        s->again = 0;
    if (a->writes && !s->from) {
        s->from = a->step;
        s->from_events = a->before;
        s->written = (uint8_t)bytes;
        s->holds = 0;
        s->used = 0;
        s->apart = true;
        s->inside = false;
    } else if (a->writes) {
        s->written |= (uint8_t)bytes;
        s->covered = (uint8_t)(s->again ? s->covered | bytes : bytes);
        if (!s->again && !a->inside) {
            s->again = a->step;
            s->again_used = s->used;
        }
        if (s->again && s->covered == s->written) {
            s->to = s->again;
            s->to_events = a->after; /* others may not come before all is written again */
            s->to_used = s->again_used;
            s->again = 0;
        }
    }
    if (a->writes)
        s->holds = (uint8_t)(a->ends ? s->holds & ~bytes : s->holds | bytes);
    s->inside |= a->inside;
    s->used++;
}

static void use_other(struct hd_walk *w, uint32_t number, struct slot *s, const struct access *a)
{
    struct hd_walk_lent *l = w->mem.lent;
    uint32_t block = hd_walk_current(w)->block;
    end_span(l, number, s);
    if (w->current == s->owner || s->failed)
        return;
    s->changed |= a->writes;
    struct other *o = s->others ? hd_vec_at(&l->others, s->last_other) : NULL;
    if (!o || o->thread != w->current || s->apart) {
        s->failed = s->others++ == OTHERS;
        s->last_other = (uint32_t)l->others.len;
        o = hd_vec_push(&l->others);
        *o = (struct other){number, w->current, .before = a->before, .first_block = block};
    }
    s->apart = false;
    o->after = a->after;
    o->last_block = block;
    o->reads |= block && a->reads;
    o->writes |= block && a->writes;
}

static struct slot *slot_of(struct hd_walk_lent *l, const struct hd_region *g, uint64_t linear,
                            uint32_t *number)
{
    bool fresh;
    uint32_t *known = hd_map_put(&l->numbers, linear, &fresh);
    if (fresh) {
        *known = (uint32_t)l->slots.len;
        *(struct slot *)hd_vec_push(&l->slots) =
            (struct slot){.addr = g->start + (linear - g->linear),
                          .linear = linear,
                          .owner = (uint32_t)g->number};
    }
    *number = *known;
    return hd_vec_at(&l->slots, *known);
}

static void use(struct hd_walk *w, uint64_t addr, uint64_t len, const struct access *a)
{
    struct hd_walk_lent *l = w->mem.lent;
    while (len) {
        uint64_t room, in_granule = HD_GRANULE - addr % HD_GRANULE;
        const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        uint64_t part = len < in_granule ? len : in_granule, linear = hd_region_linear(g, addr);
        part = part < room ? part : room;
        const struct hd_cell_page *page =
            g->kind == HD_REGION_STACK ? hd_cells_page_if(&w->mem.cells, linear) : NULL;
        if (page && page->given >> linear % HD_CELL_PAGE / HD_GRANULE & 1) {
            uint32_t number;
            struct slot *s = slot_of(l, g, linear / HD_GRANULE * HD_GRANULE, &number);
            unsigned bytes = ((1u << part) - 1) << linear % HD_GRANULE;
            if (a->own && s->owner == w->current)
                use_own(l, number, s, bytes, a);
            else
                use_other(w, number, s, a);
        }
        addr += part;
        len -= part;
    }
}

static uint64_t bytes_of(const struct hd_raw *rec)
{
    if (rec->kind == HD_LOG_GONE)
        return rec->w[1];
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    return range ? rec->len : rec->aux & HD_LOG_SIZE;
}

void hd_lent_memory_use(struct hd_walk *w, const struct hd_raw *rec, uint32_t before)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    struct access a = {.step = t->steps, .before = before, .after = t->made};
    a.ends = rec->kind == HD_LOG_GONE;
    if (!a.ends && (rec->kind < HD_LOG_READ || rec->kind > HD_LOG_RANGE_WRITE))
        return;
    a.reads = rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ;
    a.writes = a.ends || rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_RANGE_WRITE;
    a.inside = t->blocks > 0;
    a.own = (a.reads || a.writes) && !t->ignores && (a.ends || !(rec->aux & HD_LOG_PENDING));
    a.reads |= rec->kind == HD_LOG_AREAD || rec->kind == HD_LOG_RMW;
    a.writes |= rec->kind == HD_LOG_AWRITE || rec->kind == HD_LOG_RMW;
    use(w, rec->w[0], bytes_of(rec), &a);
}

void hd_lent_memory_other(struct hd_walk *w, uint64_t addr, uint32_t before)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    use(w, addr, 1, &(struct access){t->steps, before, t->made, .reads = true, .writes = true});
}

/* ---- which stretches every schedule keeps apart from what others do ---- */

struct judge {
    const struct hd_walk *w;
    const struct hd_walk_lent *l;
    const struct hd_handover *order;
    struct other *others; /* by granule, and of each in the order of the log */
    uint32_t *first;      /* by slot: its first one, and one more */
};

static void sort_others(struct judge *j)
{
    const struct hd_walk_lent *l = j->l;
    uint32_t *at = hd_calloc(l->slots.len + 1, sizeof *at);
    j->first = hd_calloc(l->slots.len + 1, sizeof *j->first);
    j->others = hd_alloc((l->others.len + 1) * sizeof *j->others);
    for (size_t i = 0; i < l->slots.len; i++)
        at[i + 1] = j->first[i + 1] =
            j->first[i] + ((const struct slot *)hd_vec_at(&l->slots, i))->others;
    for (size_t i = 0; i < l->others.len; i++) {
        const struct other *o = hd_vec_at(&l->others, i);
        j->others[at[o->slot]++] = *o;
    }
    hd_free(at, (l->slots.len + 1) * sizeof *at);
}

static hd_tid tid_of(const struct judge *j, uint32_t thread)
{
    return ((const struct hd_walk_thread *)j->w->threads.data)[thread].tid;
}

/* The last use of each thread before the stretch comes before it in every schedule. */
static bool comes_after(const struct judge *j, const struct slot *s, const struct span *span)
{
    uint64_t seen = 0; /* threads: at most 64 where there is a skeleton */
    const struct other *o = j->others + j->first[span->slot];
    for (uint32_t i = span->others; i-- > 0;) {
        if (!(seen >> o[i].thread & 1) &&
            !hd_handover_before(j->order, tid_of(j, o[i].thread), o[i].after, tid_of(j, s->owner),
                                span->from_events))
            return false;
        seen |= UINT64_C(1) << o[i].thread;
    }
    return true;
}

/* The first use of each thread behind it comes behind the write that ends it. */
static bool comes_before(const struct judge *j, const struct slot *s, const struct span *span)
{
    uint64_t seen = 0;
    const struct other *o = j->others + j->first[span->slot];
    for (uint32_t i = span->others; i < s->others; i++) {
        if (!(seen >> o[i].thread & 1) &&
            !hd_handover_before(j->order, tid_of(j, s->owner), span->to_events,
                                tid_of(j, o[i].thread), o[i].before))
            return false;
        seen |= UINT64_C(1) << o[i].thread;
    }
    return true;
}

/* Does it lie between two uses that one block makes, or that two sections make, of which the first
 * reads and the second writes? */
static bool cuts_block(const struct judge *j, const struct slot *s, const struct span *span)
{
    const struct other *o = j->others + j->first[span->slot];
    uint64_t readers = 0;
    for (uint32_t i = 0; i < span->others; i++)
        readers |= (uint64_t)o[i].reads << o[i].thread;
    for (uint32_t i = span->others; i < s->others; i++) {
        if (o[i].writes && readers >> o[i].thread & 1)
            return true;
        for (uint32_t k = 0; o[i].first_block && k < span->others; k++)
            if (o[k].thread == o[i].thread && o[k].last_block == o[i].first_block)
                return true;
    }
    return false;
}

static bool is_kept_apart(const struct judge *j, const struct span *span)
{
    const struct slot *s = hd_vec_at(&j->l->slots, span->slot);
    return !s->failed && !(span->inside && s->changed) && comes_after(j, s, span) &&
           comes_before(j, s, span) && !cuts_block(j, s, span);
}

static int by_step(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static void add_turn(struct hd_walk_lent *l, const struct slot *s, uint32_t slot, uint32_t step,
                     bool shared)
{
    *(struct turn *)hd_vec_push(&l->turns) = (struct turn){s->owner, step, slot, shared};
}

/* What is at hand at the end of the log lasts until then. */
static void end_all(struct hd_walk_lent *l)
{
    for (size_t i = 0; i < l->slots.len; i++) {
        const struct slot *s = hd_vec_at(&l->slots, i);
        if (s->from && s->used >= LEAST && l->spans.len < MOST)
            *(struct span *)hd_vec_push(&l->spans) =
                (struct span){(uint32_t)i, s->others, s->from, s->from_events, 0, 0, s->inside};
    }
}

size_t hd_lent_memory_find(struct hd_walk *w, const struct hd_handover *order)
{
    struct hd_walk_lent *l = w->mem.lent;
    struct judge j = {.w = w, .l = l, .order = order};
    size_t n = 0;
    end_all(l);
    sort_others(&j);
    for (size_t i = 0; i < l->spans.len; i++) {
        const struct span *span = hd_vec_at(&l->spans, i);
        const struct slot *s = hd_vec_at(&l->slots, span->slot);
        if (!hd_cells_shared(&w->mem.cells, s->linear, HD_GRANULE) || !is_kept_apart(&j, span))
            continue;
        n++;
        add_turn(l, s, span->slot, span->from, false);
        if (span->to)
            add_turn(l, s, span->slot, span->to, true);
    }
    if (l->turns.len)
        qsort(l->turns.data, l->turns.len, l->turns.size, by_step);
    hd_free(j.others, (l->others.len + 1) * sizeof *j.others);
    hd_free(j.first, (l->slots.len + 1) * sizeof *j.first);
    hd_vec_fini(&l->others);
    hd_vec_fini(&l->spans);
    return n;
}

/* ---- in the walks after that ---- */

static void turn(struct hd_walk *w, const struct slot *s, bool shared)
{
    struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, s->linear);
    uint8_t bit = (uint8_t)(1u << s->linear % HD_CELL_PAGE / HD_GRANULE);
    page->shared = (uint8_t)(shared ? page->shared | bit : page->shared & ~bit);
    if (shared)
        hd_walk_calm_forget(w, s->addr, HD_GRANULE);
}

static void look_ahead(const struct hd_walk_lent *l, struct hd_walk_thread *t, uint32_t number)
{
    const struct turn *next = hd_vec_at(&l->turns, t->turn);
    t->turn_at = t->turn < l->turns.len && next->thread == number ? next->step : UINT32_MAX;
}

void hd_lent_memory_start(struct hd_walk *w)
{
    struct hd_walk_lent *l = w->mem.lent;
    for (size_t i = 0; i < w->threads.len; i++)
        ((struct hd_walk_thread *)hd_vec_at(&w->threads, i))->turn_at = UINT32_MAX;
    for (size_t i = l->turns.len; i-- > 0;) {
        const struct turn *at = hd_vec_at(&l->turns, i);
        struct hd_walk_thread *t = hd_vec_at(&w->threads, at->thread);
        turn(w, hd_vec_at(&l->slots, at->slot), true);
        t->turn = (uint32_t)i;
        t->turn_at = at->step;
    }
}

void hd_lent_memory_turn(struct hd_walk *w)
{
    const struct hd_walk_lent *l = w->mem.lent;
    struct hd_walk_thread *t = hd_walk_current(w);
    while (hd_walk_lent_turns(t)) {
        const struct turn *at = hd_vec_at(&l->turns, t->turn++);
        turn(w, hd_vec_at(&l->slots, at->slot), at->shared);
        look_ahead(l, t, w->current);
    }
}
