/* Memory that every schedule hands from thread to thread in the same order becomes no events:
 * docs/algorithms/building.md, "Memory that is handed over".
 *
 * A walk of its own makes the skeleton of the trace: of shared memory only carriers are events, and
 * nothing depends on the rest, which is `loose`. Of each granule of loose memory it notes from
 * which points of the skeleton it is used. Then the must-order of the skeleton decides whether
 * these uses are ordered (predict/index/handover.h). The walks that make the trace come after it,
 * by a struct hd_walk of their own.
 */
#include "build/lent_memory.h"
#include "build/walk.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "predict/index/handover.h"

#include <string.h>

#define FROM        20000    /* uses of shared memory: fewer are not worth two more walks */
#define MOST        16000000 /* events of a skeleton, with up to FEW threads */
#define THREADS     1024     /* clocks have an entry for each: */
#define FEW         64       /* of more threads, fewer events */
#define ORDER_SHARE 3        /* of the time that is left one part in so many is for the order */
#define BUSY        16 /* uses of a weak atomic by others than its writer: it may stay shared */

/* What a thread does after its first n events of the skeleton, and before the next one. */
struct hd_walk_point {
    uint32_t number; /* of the thread, in the log */
    uint32_t n;
    uint32_t block; /* the outermost block that is open; 0: none */
};

/* Of one granule. A granule has its last use in hd_owner: `write` is `what`, `read` is `before`. */
struct hd_walk_use {
    uint32_t before; /* the use before it; 0: none */
    uint32_t what;   /* point * 4, and READS, WRITES */
};
enum { READS = 1, WRITES = 2 };

bool hd_walk_hand_pays(const struct hd_walk *w)
{
    return !w->own.keep_all && !w->own.late && w->info->from_pass && !w->info->cut &&
           !(w->progress.watch && w->progress.watch->keep_handed) && w->threads.len > 1 &&
           w->threads.len <= THREADS && w->own.uses[0] >= w->hand.from &&
           (w->own.uses[0] >= w->own.uses[1] || w->hand.from != FROM);
}

void hd_walk_hand_init(struct hd_walk *w)
{
    w->hand.points = HD_VEC_INIT(struct hd_walk_point);
    w->hand.uses = HD_VEC_INIT(struct hd_walk_use);
    w->hand.from = FROM;
}

void hd_walk_hand_fini(struct hd_walk *w)
{
    hd_vec_fini(&w->hand.points);
    hd_vec_fini(&w->hand.uses);
    hd_u32vec_fini(&w->hand.ends);
}

/* ---- while the skeleton is made ---- */

bool hd_walk_hand_is_loose(struct hd_walk *w, uint64_t linear, uint64_t len)
{
    while (len) {
        uint64_t at = linear % HD_CELL_PAGE, part = HD_CELL_PAGE - at;
        part = part < len ? part : len;
        const struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, linear);
        if (page && page->loose & hd_cell_granules(at, part))
            return true;
        linear += part;
        len -= part;
    }
    return false;
}

static uint32_t point_of(struct hd_walk *w)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!t->point) {
        t->point = (uint32_t)w->hand.points.len;
        *(struct hd_walk_point *)hd_vec_push(&w->hand.points) =
            (struct hd_walk_point){w->current, t->made, t->block};
    }
    return t->point;
}

static void note(struct hd_walk *w, struct hd_owner *last, unsigned flags)
{
    uint32_t point = point_of(w);
    if (last->write / 4 == point) {
        last->write |= flags;
        return;
    }
    if (last->write) {
        uint32_t before = (uint32_t)w->hand.uses.len;
        *(struct hd_walk_use *)hd_vec_push(&w->hand.uses) =
            (struct hd_walk_use){last->read, last->write};
        last->read = before;
    }
    last->write = point * 4 | flags;
}

bool hd_walk_hand_noted(const struct hd_owner *last, uint32_t point, bool writes)
{
    return last->write / 4 == point && last->write & (writes ? WRITES : READS);
}

void hd_walk_hand_outside(struct hd_walk *w)
{
    struct hd_walk_outside *o = w->own.outside;
    if (o[0].thread != w->current)
        o[1] = o[0];
    o[0] = (struct hd_walk_outside){w->current, (uint32_t)w->hand.points.len};
}

/* The read shows a write that was not seen. Did the current thread make it? Then it did so after it
 * used the memory last, if it was the last to use it and no other thread was in code without hooks
 * since then: the write counts there and here. Any thread may have written the file of a view. On
 * its own stack it writes unseen all the time. */
static bool wrote_itself(const struct hd_walk *w, const struct hd_region *g, struct hd_owner *last)
{
    const struct hd_walk_point *p = hd_vec_at(&w->hand.points, last->write / 4);
    const struct hd_walk_outside *o = &w->own.outside[w->own.outside[0].thread == w->current];
    if (last->write && p->number == w->current && o->time <= last->write / 4 && !g->view) {
        last->write |= WRITES;
        return true;
    }
    return g->kind == HD_REGION_STACK && g->number == w->current;
}

/* The granules of which the current thread made such a write; others are spoilt. */
static unsigned explain(const struct hd_walk *w, const struct hd_region *g,
                        struct hd_cell_page *page, struct hd_cell_marks *marks, unsigned bits)
{
    for (unsigned i = 0; bits >> i; i++) {
        if (!(bits >> i & 1) || wrote_itself(w, g, &marks->own[i]))
            continue;
        page->spoilt |= (uint8_t)(1u << i);
        bits &= ~(1u << i);
    }
    return bits;
}

void hd_walk_hand_use(struct hd_walk *w, const struct hd_region *g, uint64_t linear, uint64_t len,
                      const uint8_t *bytes, bool writes)
{
    if (writes)
        hd_cells_set(&w->mem.cells, linear, len, 0);
    while (len) {
        struct hd_cell_marks *marks;
        unsigned at = (unsigned)(linear % HD_CELL_PAGE), part = HD_CELL_PAGE - at;
        part = part < len ? part : (unsigned)len;
        struct hd_cell_page *page = hd_cells_page(&w->mem.cells, linear, &marks);
        unsigned bits = hd_cell_granules(at, part) & page->loose & ~(unsigned)page->spoilt;
        unsigned flags = writes ? WRITES : READS;
        if (bits && !writes && bytes && hd_cell_marks_differ(marks, at, part, bytes)) {
            bits = explain(w, g, page, marks, bits);
            flags = READS | WRITES;
        }
        if (bits && (bytes || writes))
            hd_cell_marks_keep(marks, at, part, bytes);
        for (unsigned i = 0; bits >> i; i++)
            if (bits >> i & 1)
                note(w, &marks->own[i], flags);
        linear += part;
        len -= part;
        bytes = bytes ? bytes + part : NULL;
    }
}

bool hd_walk_hand_quick(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t room, len = hd_walk_bytes(rec);
    bool writes =
        rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_AWRITE || rec->kind == HD_LOG_RANGE_WRITE;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, rec->w[0], &room);
    uint64_t linear = hd_region_linear(g, rec->w[0]);
    const uint8_t *bytes = rec->data ? rec->data : (const uint8_t *)&rec->w[1];
    bool known = !writes || !(rec->aux & HD_LOG_PENDING);
    if (!hd_walk_hand_is_loose(w, linear, len))
        return false;
    hd_walk_hand_use(w, g, linear, len, known ? bytes : NULL, writes);
    hd_lent_memory_use(w, rec, hd_walk_current(w)->made);
    return true;
}

void hd_walk_hand_free(struct hd_walk *w, const struct hd_region *g)
{
    uint64_t end = g->linear + (g->end - g->start);
    for (uint64_t at = g->linear / HD_GRANULE * HD_GRANULE; at < end; at += HD_GRANULE) {
        struct hd_cell_marks *marks;
        const struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, at);
        unsigned i = (unsigned)(at % HD_CELL_PAGE / HD_GRANULE);
        if (!page || !((page->loose & ~(unsigned)page->spoilt) >> i & 1))
            continue;
        hd_cells_page(&w->mem.cells, at, &marks);
        if (marks->own[i].write)
            note(w, &marks->own[i], WRITES);
    }
}

void hd_walk_hand_event(struct hd_walk *w, struct hd_walk_thread *t, enum hd_op op)
{
    t->point = 0;
    if (op == HD_OP_ACQ || op == HD_OP_RACQ || op == HD_OP_BEGIN) {
        if (t->blocks++ == 0) {
            t->block = (uint32_t)w->hand.ends.len;
            hd_u32vec_push(&w->hand.ends, 0);
        }
    } else if ((op == HD_OP_REL || op == HD_OP_RREL || op == HD_OP_END) && t->blocks) {
        if (--t->blocks == 0) {
            w->hand.ends.data[t->block] = (uint32_t)w->hand.points.len;
            t->block = 0;
        }
    }
    size_t threads = w->threads.len > FEW ? w->threads.len : FEW;
    if (w->out.n_events * threads > (size_t)MOST * FEW && !w->hand.failed) {
        w->hand.failed = true;
        w->pass = HD_WALK_REPLAY;
        w->log.limit = w->log.events;
    }
}

void hd_walk_hand_spoil(struct hd_walk *w, uint64_t linear, uint64_t len)
{
    for (uint64_t at = linear; at < linear + len; at++) {
        struct hd_cell_marks *marks;
        struct hd_cell_page *page = hd_cells_page(&w->mem.cells, at, &marks);
        unsigned bit = 1u << at % HD_CELL_PAGE / HD_GRANULE;
        page->shared &= (uint8_t)~bit;
        page->loose |= (uint8_t)bit;
        page->spoilt |= (uint8_t)bit;
        page->suspect |= (uint8_t)bit;
    }
}

static void forget_uses(struct hd_cell_block *block)
{
    for (size_t k = 0; block->marks && k < HD_CELL_PAGES; k++) {
        memset(block->marks[k].own, 0, sizeof block->marks[k].own);
        block->marks[k].known = 0;
    }
}

void hd_walk_hand_restart(struct hd_walk *w)
{
    hd_lent_memory_restart(w);
    w->hand.points.len = w->hand.uses.len = 0;
    *(struct hd_walk_point *)hd_vec_push(&w->hand.points) = (struct hd_walk_point){0};
    *(struct hd_walk_use *)hd_vec_push(&w->hand.uses) = (struct hd_walk_use){0};
    w->hand.ends.len = 0;
    memset(w->own.outside, 0, sizeof w->own.outside);
    hd_u32vec_push(&w->hand.ends, 0);
    for (size_t i = 0; i < w->mem.cells.blocks.len; i++)
        forget_uses(*(struct hd_cell_block **)hd_vec_at(&w->mem.cells.blocks, i));
}

/* ---- what is handed over ---- */

struct judge {
    const struct hd_walk *w;
    struct hd_handover *order;
    struct hd_u32vec uses; /* of one granule, first to last */
    struct judge_asked {
        uint32_t before, after; /* points */
        bool yes;
    } asked[4096];
};

static const struct hd_walk_point *point_at(const struct judge *j, uint32_t what)
{
    return hd_vec_at(&j->w->hand.points, what / 4);
}

static bool comes_before(struct judge *j, uint32_t a, uint32_t b)
{
    const struct hd_walk_point *p = point_at(j, a), *q = point_at(j, b);
    if (p->number == q->number)
        return true;
    struct judge_asked *asked =
        &j->asked[(a / 4 * 31 + b / 4) % (sizeof j->asked / sizeof *j->asked)];
    if (asked->before != a / 4 || asked->after != b / 4) {
        const struct hd_walk_thread *t = j->w->threads.data;
        *asked = (struct judge_asked){
            a / 4, b / 4,
            hd_handover_before(j->order, t[p->number].tid, p->n, t[q->number].tid, q->n)};
    }
    return asked->yes;
}

/* Each use comes after the last write, and a write after all uses since then. */
static bool in_order(struct judge *j)
{
    size_t since = 0;
    const uint32_t *use = j->uses.data;
    for (size_t i = 1; i < j->uses.len; i++) {
        if (use[since] & WRITES && !comes_before(j, use[since], use[i]))
            return false;
        for (size_t k = since; use[i] & WRITES && k < i; k++)
            if (!comes_before(j, use[k], use[i]))
                return false;
        since = use[i] & WRITES ? i : since;
    }
    return true;
}

/* Does another thread come between two uses that one block makes, or that two sections make, of
 * which the first reads and the second writes? */
static bool cuts_block(const struct judge *j)
{
    uint32_t reader = 0; /* under a lock, from 1; UINT32_MAX: several */
    bool changed = false;
    for (size_t i = 0; i < j->uses.len; i++) {
        const struct hd_walk_point *p = point_at(j, j->uses.data[i]);
        unsigned flags = j->uses.data[i] & 3;
        uint32_t me = p->number + 1;
        if (i) {
            const struct hd_walk_point *last = point_at(j, j->uses.data[i - 1]);
            uint32_t end = j->w->hand.ends.data[last->block];
            if (last->number != p->number && last->block && (!end || end > j->uses.data[i] / 4))
                return true;
        }
        changed |= flags & WRITES && reader != me;
        if (flags & WRITES && p->block && (reader == UINT32_MAX || (reader == me && changed)))
            return true;
        if (flags & READS && p->block && reader != me) {
            reader = reader ? UINT32_MAX : me;
            changed = false;
        }
    }
    return false;
}

static bool is_handed(struct judge *j, const struct hd_owner *last)
{
    j->uses.len = 0;
    if (!last->write)
        return false;
    hd_u32vec_push(&j->uses, last->write);
    for (uint32_t i = last->read; i;) {
        const struct hd_walk_use *use = hd_vec_at(&j->w->hand.uses, i);
        hd_u32vec_push(&j->uses, use->what);
        i = use->before;
    }
    for (size_t i = 0, n = j->uses.len; i < n / 2; i++) {
        uint32_t what = j->uses.data[i];
        j->uses.data[i] = j->uses.data[n - 1 - i];
        j->uses.data[n - 1 - i] = what;
    }
    return in_order(j) && !cuts_block(j);
}

/* Granules stay `loose` only if they are handed over. *all: the others were suspected. */
static uint64_t judge_all(struct judge *j, struct hd_cells *cells, bool *all)
{
    uint64_t n = 0;
    *all = true;
    for (size_t b = 0; b < cells->blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&cells->blocks, b);
        for (size_t k = 0; k < HD_CELL_PAGES; k++) {
            struct hd_cell_page *page = &block->pages[k];
            unsigned bits = page->loose & ~(unsigned)page->spoilt;
            for (unsigned i = 0; bits >> i; i++)
                if (bits >> i & 1 && !is_handed(j, &block->marks[k].own[i]))
                    bits &= ~(1u << i);
            *all = *all && !(page->loose & ~bits & ~(unsigned)page->suspect);
            page->loose = (uint8_t)bits;
            n += (unsigned)__builtin_popcount(bits);
        }
    }
    return n;
}

/* Granules of weak atomics that several threads use all the time, as counts and flags. */
static unsigned are_busy(const struct hd_cell_marks *marks)
{
    unsigned busy = 0;
    for (unsigned i = 0; marks->weak >> i; i++)
        if (marks->weak >> i & 1 && marks->alone[i] < -BUSY * HD_SOLE_WEIGHT)
            busy |= 1u << i;
    return busy;
}

/* Shared memory that is no carrier is loose: weak atomics order nothing (predict/index/handover.h).
 * What was used under a lock may be no buffer that is handed over but what says whose turn it is:
 * the guess costs time where it is wrong. */
static void split(struct hd_cells *cells)
{
    for (size_t b = 0; b < cells->blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&cells->blocks, b);
        for (size_t k = 0; k < HD_CELL_PAGES; k++) {
            static const struct hd_cell_marks none;
            const struct hd_cell_marks *marks = block->marks ? &block->marks[k] : &none;
            struct hd_cell_page *page = &block->pages[k];
            page->given = page->shared;
            page->shared &= (uint8_t)(page->carrier & ~marks->weak);
            page->loose = page->given & (uint8_t)~page->shared;
            page->suspect = page->loose & (uint8_t)(page->in_section | are_busy(marks));
        }
    }
}

/* What is handed over, the granules that are loose if there are any, is not shared. */
static void apply(struct hd_cells *cells, bool any)
{
    for (size_t b = 0; b < cells->blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&cells->blocks, b);
        for (size_t k = 0; k < HD_CELL_PAGES; k++) {
            struct hd_cell_page *page = &block->pages[k];
            page->shared = page->given & (uint8_t) ~(any ? page->loose : 0);
            page->loose = page->spoilt = page->suspect = 0;
        }
    }
}

static bool is_spoilt(struct hd_cells *cells, uint64_t linear)
{
    uint64_t end = linear + hd_cells_next(cells, linear, UINT32_MAX);
    for (uint64_t at = linear / HD_GRANULE * HD_GRANULE; at < end; at += HD_GRANULE) {
        const struct hd_cell_page *page = hd_cells_page_if(cells, at);
        if (page && page->spoilt >> at % HD_CELL_PAGE / HD_GRANULE & 1)
            return true;
    }
    return false;
}

/* By location of the skeleton: it is a carrier that was found to be written unseen, so that the
 * skeleton has its accesses up to there; or it lies in the same granules. To be freed. */
static uint8_t *spoilt_locations(const struct hd_walk *w, struct hd_cells *cells, size_t n)
{
    uint8_t *drop = hd_calloc(n, 1);
    size_t dropped = 0;
    for (size_t b = 0; b < cells->blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&cells->blocks, b);
        uint64_t at = block->key * HD_CELL_PAGE * HD_CELL_PAGES, end, id;
        end = at + (uint64_t)HD_CELL_PAGE * HD_CELL_PAGES;
        for (; (id = hd_cells_used(cells, at, end, &at)) != HD_CELL_NONE; at++) {
            uint32_t loc = ((const struct hd_walk_cell *)hd_vec_at(&w->mem.list, id))->loc;
            if (loc < n && is_spoilt(cells, at))
                dropped += !drop[loc], drop[loc] = 1;
        }
    }
    HD_DEBUG_LINE(BUILD, "written unseen: %zu locations of the skeleton", dropped);
    return drop;
}

/* It may use a part of the time that is left: without it the walks that make the trace, which come
 * after it, have more events, and an answer all the same. */
static struct hd_handover *order_of(const struct hd_trace *skeleton, const uint8_t *drop)
{
    double now = hd_progress_now(), left = hd_stop_left();
    struct hd_stop_scope around = hd_stop_begin(left > 0 ? now + left / ORDER_SHARE : 0, 0);
    struct hd_handover *order = hd_handover_new(skeleton, drop);
    bool ended = hd_stop_end(around) != HD_STOP_NO;
    HD_DEBUG_LINE(BUILD, "order of the skeleton: %.3f s%s", hd_progress_now() - now,
                  ended ? "; its time is up" : "");
    return order;
}

enum hd_status hd_walk_hand_find(struct hd_walk *w)
{
    struct hd_trace *skeleton = NULL;
    split(&w->mem.cells);
    w->own.hand = true;
    enum hd_status s = hd_walk_build(w);
    uint64_t n = 0;
    bool all = false, whole = !w->hand.failed && !w->info->cut && !w->out.inserts.len;
    if (s == HD_OK && whole) {
        s = hd_builder_finish(w->out.builder, &skeleton, w->err);
        w->out.builder = NULL;
    }
    struct judge *j = hd_calloc(1, sizeof *j);
    j->w = w;
    size_t locs = skeleton ? hd_trace_n_objs(skeleton, HD_OBJ_LOC) : 0;
    uint8_t *drop = spoilt_locations(w, &w->mem.cells, locs);
    j->order = s == HD_OK && skeleton ? order_of(skeleton, drop) : NULL;
    hd_free(drop, locs);
    if (j->order)
        n = judge_all(j, &w->mem.cells, &all);
    apply(&w->mem.cells, n > 0);
    size_t spans = j->order ? hd_lent_memory_find(w, j->order) : 0;
    HD_DEBUG_LINE(BUILD, "skeleton of %u events: %llu granules are handed over, %zu stretches lent",
                  w->out.n_events, (unsigned long long)n, spans);
    hd_handover_free(j->order);
    hd_u32vec_fini(&j->uses);
    hd_free(j, sizeof *j);
    hd_trace_free(skeleton);
    if (!all)
        hd_walk_sieve_drop(w);
    w->own.hand = false;
    return s;
}
