/* The first walk over accesses: the ends of cells, and whose the memory is.
 *
 * Ownership is kept for granules of 8 bytes (trace/owner.h). A granule is shared when some access
 * is not ordered with some write by fork and join alone, and also
 * - when it is written after several threads used it, one of them under a lock or in an atomic
 *   block: such blocks may be asked about, and a block may hold a fork and its join;
 * - when it is used after it was freed;
 * - when a read shows a write that was not seen, unless only the reader can have made it: no other
 *   thread used the memory, and none was in code without hooks since it was last touched. On its
 * own stack a thread writes unseen all the time.
 */
#include "build/walk.h"

#include "recording/rawlog_rounds.h"

#include <string.h>

/* The bytes of one page that an access covers. */
struct span {
    const struct hd_region *g;
    struct hd_cell_page *page;
    struct hd_cell_marks *marks;
    const uint8_t *bytes; /* read, or written; NULL: not known */
    const uint8_t *after; /* rmw: written */
    unsigned at, len;
    uint8_t in_section; /* granules that were touched so before */
    bool reads, writes, guess, atomic, weak;
    bool object; /* a lock or the like is used or ends: that is no part of what its blocks do */
};

/* Another thread may have written in code without hooks since this segment began. */
static bool was_outside(const struct hd_walk *w, uint32_t segment)
{
    const struct hd_walk_outside *o = &w->own.outside[w->own.outside[0].thread == w->current];
    return o->time > segment;
}

/* May only the current thread have written what it now finds there? */
static bool wrote_itself(const struct hd_walk *w, const struct span *s, unsigned i)
{
    const struct hd_owner *own = &s->marks->own[i];
    if (s->g->view) /* the file may have been written instead */
        return false;
    bool passed = s->page->passed >> i & 1;
    if (passed)
        return s->g->kind == HD_REGION_STACK && s->g->number == w->current;
    uint32_t last = own->write > own->read ? own->write : own->read;
    return hd_owners_only(&w->own.owners, own, w->current) && !was_outside(w, last);
}

static void touch(struct hd_walk *w, const struct span *s, unsigned i, bool writes)
{
    struct hd_owner *own = &s->marks->own[i];
    if ((own->write || own->read) && !hd_owners_only(&w->own.owners, own, w->current))
        s->page->passed |= (uint8_t)(1u << i);
    bool cuts = writes && (s->page->in_section & s->page->passed) >> i & 1;
    if (!cuts && hd_owners_access(&w->own.owners, own, w->current, w->own.segment, writes))
        return;
    s->page->shared |= (uint8_t)(1u << i);
    bool reads_inside = !writes && s->in_section >> i & 1 && hd_walk_current(w)->holds;
    s->page->carrier |= (uint8_t)(reads_inside << i);
    hd_walk_share(w, own, writes);
}

static void unseen(struct hd_walk *w, const struct span *s, unsigned bits)
{
    for (unsigned i = 0; bits >> i; i++) {
        if (!(bits >> i & 1))
            continue;
        if (wrote_itself(w, s, i)) {
            touch(w, s, i, true);
            continue;
        }
        s->page->shared |= (uint8_t)(1u << i);
        hd_walk_share(w, &s->marks->own[i], true);
    }
}

static void use(struct hd_walk *w, struct span *s)
{
    struct hd_cell_page *page = s->page;
    unsigned bits = hd_cell_granules(s->at, s->len);
    for (unsigned i = 0, old = bits & page->shared; old >> i; i++)
        if (old >> i & 1)
            hd_walk_use_shared(w, page, s->marks, i, s->writes);
    if (s->atomic) {
        page->carrier |= (uint8_t)bits;
        s->marks->weak |= (uint8_t)(s->weak ? bits : 0);
    }
    /* What a read does not find as it was left was written unseen, or is older than all writes. */
    bool strange = s->reads && !s->object &&
                   !(s->bytes && hd_cell_marks_hold(s->marks, s->at, s->len, s->bytes));
    if (strange || s->g->freed)
        hd_sole_writer_void(s->marks, bits);
    hd_sole_writer_note(w, s->marks, bits, s->writes);
    s->in_section = page->in_section;
    if (hd_walk_current(w)->holds && !s->object)
        page->in_section |= (uint8_t)bits;
    if (s->g->freed)
        page->shared |= (uint8_t)bits; /* nothing is handed over then: see hd_walk_hand_pays */
    bits &= ~(unsigned)page->shared;
    if (bits && s->reads && s->bytes && hd_cell_marks_differ(s->marks, s->at, s->len, s->bytes))
        unseen(w, s, bits);
    if (s->bytes || s->writes)
        hd_cell_marks_keep(s->marks, s->at, s->len, s->writes && s->reads ? s->after : s->bytes);
    for (unsigned i = 0; bits >> i; i++) {
        struct hd_owner *own = &s->marks->own[i];
        bool first = !own->write && !own->read;
        if (!(bits >> i & 1) || (first && s->guess && s->g->kind == HD_REGION_STACK))
            continue;
        if (own->write != w->own.segment || (s->writes && own->read))
            touch(w, s, i, s->writes);
    }
}

static void own(struct hd_walk *w, struct span *s, uint64_t linear, uint64_t len)
{
    while (len) {
        s->page = hd_cells_page(&w->mem.cells, linear, &s->marks);
        s->at = (unsigned)(linear % HD_CELL_PAGE);
        s->len = HD_CELL_PAGE - s->at;
        s->len = s->len < len ? s->len : (unsigned)len;
        use(w, s);
        linear += s->len;
        len -= s->len;
        s->bytes = s->bytes ? s->bytes + s->len : NULL;
        s->after = s->after ? s->after + s->len : NULL;
    }
}

void hd_walk_note_thread(struct hd_walk *w, struct hd_region *g)
{
    if (g->thread == UINT32_MAX)
        g->thread = w->current;
    g->shared = g->shared || g->thread != w->current;
    w->own.late = w->own.late || g->freed;
    if (g->inherited)
        hd_remarks_add(&w->info->remarks, HD_REMARK_OTHER_PROCESS, "");
}

void hd_walk_mark(struct hd_walk *w, const struct hd_raw *rec, uint64_t len)
{
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    bool pending = (rec->aux & HD_LOG_PENDING) != 0;
    bool plain_read = rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ;
    bool ignored = plain_read && hd_walk_current(w)->ignores & 1;
    struct span s = {.reads = plain_read || rec->kind == HD_LOG_AREAD || rec->kind == HD_LOG_RMW};
    s.writes = !s.reads || rec->kind == HD_LOG_RMW;
    s.guess = pending && !s.writes;
    s.atomic = rec->kind >= HD_LOG_AREAD && rec->kind <= HD_LOG_RMW;
    s.weak = s.atomic && hd_walk_is_weak(w, rec);
    if (s.guess || !pending)
        s.bytes = range ? rec->data : (const uint8_t *)&rec->w[1];
    s.after = rec->kind == HD_LOG_RMW ? (const uint8_t *)&rec->w[2] : NULL;
    for (uint64_t addr = rec->w[0]; len;) {
        uint64_t room;
        struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        if (g->kind == HD_REGION_HEAP && len > 8 && len > room)
            len = room;
        uint64_t part = len < room ? len : room;
        uint64_t linear = hd_region_linear(g, addr);
        hd_cells_mark(&w->mem.cells, linear, part);
        if (w->in.types.types.len && g->kind != HD_REGION_STATIC &&
            hd_cells_touch(&w->mem.cells, linear, part))
            hd_walk_objlocks_see(w, g, addr);
        hd_walk_note_thread(w, g);
        s.g = g;
        if (!w->own.keep_all && !ignored)
            own(w, &s, linear, part);
        addr += part;
        len -= part;
    }
}

/* It starts a cell, and ends none: who accesses the object's memory as larger units may do so. */
void hd_walk_mark_object(struct hd_walk *w, uint64_t addr, bool ends)
{
    uint64_t room;
    struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    struct span s = {.g = g, .reads = !ends, .writes = ends, .object = true};
    uint64_t linear = hd_region_linear(g, addr);
    hd_cells_mark(&w->mem.cells, linear, 0);
    hd_walk_note_thread(w, g);
    own(w, &s, linear, 1);
}

/* Also what was not used yet: a buffer may be filled by a thread that comes too late. */
void hd_walk_mark_local(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t addr = rec->w[0], len = rec->w[1], room;
    while (len) {
        struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        struct span s = {.g = g, .writes = true, .object = true};
        uint64_t part = len < room ? len : room, linear = hd_region_linear(g, addr);
        hd_cells_mark(&w->mem.cells, linear, part);
        hd_walk_note_thread(w, g);
        own(w, &s, linear, part);
        addr += part;
        len -= part;
    }
}

/* free writes what others used. Memory of one thread cannot have been handed over before: who uses
 * it later uses it after it was freed. */
void hd_walk_mark_free(struct hd_walk *w, const struct hd_region *g)
{
    if (!g->shared)
        return;
    struct span s = {.g = g};
    uint64_t end = g->linear + (g->end - g->start);
    for (uint64_t at = g->linear / HD_GRANULE * HD_GRANULE; at < end; at += HD_GRANULE) {
        s.page = hd_cells_page(&w->mem.cells, at, &s.marks);
        unsigned i = (unsigned)(at % HD_CELL_PAGE / HD_GRANULE);
        const struct hd_owner *state = &s.marks->own[i];
        if (hd_walk_current(w)->holds)
            s.page->in_section |= (uint8_t)(1u << i);
        if (state->write || state->read)
            hd_sole_writer_note(w, s.marks, 1u << i, true);
        if (!(s.page->shared >> i & 1) && (state->write || state->read))
            touch(w, &s, i, true);
    }
}

void hd_walk_mark_sync(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (rec->kind == HD_LOG_REL_FOR || rec->kind == HD_LOG_RREL_FOR)
        t = rec->w[1] < w->threads.len ? hd_vec_at(&w->threads, rec->w[1]) : t;
    switch (rec->kind) {
    case HD_LOG_ACQ:
    case HD_LOG_RACQ:
        hd_walk_held_sync(t, rec);
        t->holds++;
        break;
    case HD_LOG_BEGIN:
        t->holds++;
        break;
    case HD_LOG_REL:
    case HD_LOG_RREL:
    case HD_LOG_REL_FOR:
    case HD_LOG_RREL_FOR:
        hd_walk_held_sync(t, rec);
        t->holds -= t->holds > 0;
        break;
    case HD_LOG_LAST_EVENT:
        t->holds -= t->holds > 0;
        break;
    case HD_LOG_JOIN:
        if (rec->w[0] < HD_MAX_THREADS)
            hd_owners_join(&w->own.owners, w->current, (uint32_t)rec->w[0]);
        break;
    case HD_LOG_FORK:
        hd_owners_fork(&w->own.owners, w->current, (uint32_t)rec->w[0]);
        break;
    default:
        break;
    }
    w->own.segment = hd_owners_segment(&w->own.owners, w->current);
}

void hd_walk_mark_outside(struct hd_walk *w)
{
    if (w->own.outside[0].thread != w->current)
        w->own.outside[1] = w->own.outside[0];
    w->own.outside[0] = (struct hd_walk_outside){w->current, (uint32_t)w->own.owners.thread_of.len};
}

/* A round of reads leaves what two like it have left: another one counts uses, and no more. */
void hd_walk_mark_rounds(struct hd_walk *w)
{
    if (w->pass != HD_WALK_MARK || w->in.whole_log || w->own.times > 1)
        return;
    struct hd_rawlog_rounds r = hd_rawlog_rounds_find(&w->log);
    if (r.times < 4)
        return;
    hd_rawlog_rounds_skip(&w->log, &r, r.times - 3);
    w->own.times = r.times - 2;
    w->own.times_end = hd_rawlog_at(&w->log) + r.bytes;
}

bool hd_walk_mark_times(struct hd_walk *w)
{
    if (hd_rawlog_at(&w->log) >= w->own.times_end)
        w->own.times = 1;
    return w->own.times > 1;
}
