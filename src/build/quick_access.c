/* Most records change nothing that a walk keeps: a thread uses memory of its own again. They are
 * recognised here, with one look for the region, the page and its marks. What is not recognised
 * takes the long way (own.c, leave.c) with the same result.
 *
 * A line is HD_LINE aligned bytes. Addresses and linear addresses are alike below that, so a line
 * of a region lies in one page. An entry holds until its region is gone, or until something is put
 * over addresses of no region.
 */
#include "build/walk.h"

#include "recording/rawlog_quick.h"

#include <string.h>

#define LINES (sizeof((struct hd_walk *)0)->mem.lines / sizeof(struct hd_walk_line))

static const struct hd_region nowhere = {.gone = true};

static void forget(struct hd_walk_line *line)
{
    *line = (struct hd_walk_line){.region = (struct hd_region *)&nowhere};
}

void hd_walk_lines_clear(struct hd_walk *w)
{
    for (size_t i = 0; i < LINES; i++)
        forget(&w->mem.lines[i]);
}

void hd_walk_lines_forget(struct hd_walk *w, uint64_t start, uint64_t end)
{
    uint64_t first = start / HD_LINE, last = end / HD_LINE;
    if (last - first >= LINES) {
        hd_walk_lines_clear(w);
        return;
    }
    for (uint64_t n = first; n <= last; n++)
        if (w->mem.lines[n % LINES].number == n)
            forget(&w->mem.lines[n % LINES]);
}

/* False: a region starts or ends inside. */
static bool fill(struct hd_walk *w, struct hd_walk_line *line, uint64_t number)
{
    uint64_t room, start = number * HD_LINE;
    struct hd_region *g = hd_regions_find(&w->mem.regions, start, &room);
    if (room < HD_LINE)
        return false;
    uint64_t linear = hd_region_linear(g, start);
    struct hd_walk_line made = {.number = number, .region = g, .at = linear % HD_CELL_PAGE};
    if (w->pass == HD_WALK_MARK) {
        made.page = hd_cells_page(&w->mem.cells, linear, &made.marks);
        made.after =
            made.at + HD_LINE < HD_CELL_PAGE
                ? made.page
                : hd_cells_page(&w->mem.cells, linear + HD_LINE, &(struct hd_cell_marks *){NULL});
    } else {
        made.page = hd_cells_page_if(&w->mem.cells, linear);
        if (!made.page)
            return false;
    }
    *line = made;
    return true;
}

/* NULL: not in one line. */
static inline const struct hd_walk_line *line_of(struct hd_walk *w, uint64_t addr, unsigned len)
{
    uint64_t number = addr / HD_LINE;
    struct hd_walk_line *line = &w->mem.lines[number % LINES];
    if (addr % HD_LINE + len > HD_LINE)
        return NULL;
    if (line->number == number && !line->region->gone)
        return line;
    return fill(w, line, number) ? line : NULL;
}

static inline uint64_t load(const uint8_t *bytes, unsigned len)
{
    uint64_t v = 0;
    switch (len) {
    case 1:
        return *bytes;
    case 4:
        memcpy(&v, bytes, 4);
        return v;
    case 8:
        memcpy(&v, bytes, 8);
        return v;
    default:
        memcpy(&v, bytes, len);
        return v;
    }
}

static inline void store(uint8_t *bytes, uint64_t v, unsigned len)
{
    switch (len) {
    case 1:
        *bytes = (uint8_t)v;
        break;
    case 4:
        memcpy(bytes, &v, 4);
        break;
    case 8:
        memcpy(bytes, &v, 8);
        break;
    default:
        memcpy(bytes, &v, len);
    }
}

/* The granule is shared, or its state says this access already. */
static inline bool is_covered(const struct hd_walk *w, const struct hd_owner *own, bool writes)
{
    if (own->write == w->own.segment)
        return !writes || !own->read;
    return !writes && own->read == w->own.segment;
}

/* Shared memory: does the access leave it as it is who writes there? See sole_writer.c. */
static inline bool keeps_writer(const struct hd_walk *w, struct hd_cell_marks *marks, unsigned at,
                                unsigned len, uint64_t value, bool writes)
{
    uint64_t mask = UINT64_MAX >> (HD_CELL_PAGE - len) << at;
    uint32_t writer = marks->writer[at / HD_GRANULE];
    if (writer == UINT32_MAX)
        return true;
    if (!writes)
        return (marks->known & mask) == mask && load(marks->bytes + at, len) == value;
    if (writer != w->current + 1)
        return false;
    store(marks->bytes + at, value, len);
    marks->known |= mask;
    return true;
}

/* Ownership and contents, as `use` of own.c. */
static inline bool own_quick(struct hd_walk *w, const struct hd_walk_line *line, unsigned at,
                             unsigned len, uint64_t value, bool writes)
{
    unsigned i = at / HD_GRANULE;
    struct hd_cell_marks *marks = line->marks;
    uint64_t mask = UINT64_MAX >> (HD_CELL_PAGE - len) << at;
    if (line->page->shared >> i & 1) {
        if (!keeps_writer(w, marks, at, len, value, writes))
            return false;
        hd_walk_use_shared(w, line->page, marks, i, writes);
        return true;
    }
    if (!is_covered(w, &marks->own[i], writes))
        return false;
    if (writes) {
        store(marks->bytes + at, value, len);
        marks->known |= mask;
        return true;
    }
    return (marks->known & mask) == mask && load(marks->bytes + at, len) == value;
}

/* The part of an access in one granule. False: its state may have to change. */
static inline __attribute__((always_inline)) bool
mark_granule(struct hd_walk *w, const struct hd_walk_thread *t, const struct hd_walk_line *line,
             unsigned at, unsigned len, uint64_t value, bool writes)
{
    const struct hd_region *g = line->region;
    if (g->freed || !(g->shared || g->thread == w->current))
        return false;
    if (w->in.types.types.len && g->kind != HD_REGION_STATIC &&
        ~line->page->touched & UINT64_MAX >> (HD_CELL_PAGE - len) << at)
        return false;
    if (w->own.keep_all)
        return true;
    if (!own_quick(w, line, at, len, value, writes))
        return false;
    if (t->holds)
        line->page->in_section |= (uint8_t)(1u << at / HD_GRANULE);
    return true;
}

static inline void mark_end(const struct hd_walk_line *line, unsigned end)
{
    (end < HD_CELL_PAGE ? line->page : line->after)->edges |= UINT64_C(1) << end % HD_CELL_PAGE;
}

/* An access that begins in one granule and ends in the next. If only its first part is recognised
 * the long way does that once more: it writes the same, and counts one use too many. */
static __attribute__((noinline)) bool mark_crossing(struct hd_walk *w,
                                                    const struct hd_walk_thread *t, uint64_t addr,
                                                    unsigned len, uint64_t value, bool writes)
{
    unsigned first = HD_GRANULE - (unsigned)(addr % HD_GRANULE), rest = len - first;
    uint64_t next = addr + first;
    const struct hd_walk_line *line = line_of(w, addr, first), *other = line_of(w, next, rest);
    if (!line || !other || line->region != other->region)
        return false;
    unsigned at = line->at + (unsigned)(addr % HD_LINE);
    unsigned behind = other->at + (unsigned)(next % HD_LINE);
    uint64_t low = value & UINT64_MAX >> (64 - 8 * first);
    if (!mark_granule(w, t, line, at, first, low, writes) ||
        !mark_granule(w, t, other, behind, rest, value >> 8 * first, writes))
        return false;
    line->page->edges |= UINT64_C(1) << at;
    mark_end(other, behind + rest);
    return true;
}

static inline __attribute__((always_inline)) bool
mark_quick(struct hd_walk *w, const struct hd_walk_thread *t, const struct hd_raw *rec)
{
    unsigned len = rec->aux & HD_LOG_SIZE;
    bool writes = rec->kind == HD_LOG_WRITE;
    if (rec->kind == HD_LOG_BRANCH)
        return true; /* nothing for this walk */
    if ((!writes && rec->kind != HD_LOG_READ) || t->ignores)
        return false;
    if (writes && rec->aux & HD_LOG_PENDING)
        return false;
    if (rec->w[0] % HD_GRANULE + len > HD_GRANULE)
        return mark_crossing(w, t, rec->w[0], len, rec->w[1], writes);
    const struct hd_walk_line *line = line_of(w, rec->w[0], len);
    if (!line)
        return false;
    unsigned at = line->at + (unsigned)(rec->w[0] % HD_LINE);
    if (!mark_granule(w, t, line, at, len, rec->w[1], writes))
        return false;
    line->page->edges |= UINT64_C(1) << at;
    mark_end(line, at + len);
    return true;
}

bool hd_walk_mark_quick(struct hd_walk *w, const struct hd_raw *rec)
{
    return mark_quick(w, hd_walk_current(w), rec);
}

bool hd_walk_mark_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    uint64_t most = hd_rawlog_may_pass(&w->log), n = 0;
    struct hd_raw at = {0}; /* not *rec: it can stay in registers */
    bool more = false;
    while (n < most && (more = hd_rawlog_quick(&w->log, &at)) && mark_quick(w, t, &at)) {
        n++;
        more = false;
    }
    *rec = at;
    *passed += (uint32_t)n;
    return more;
}

/* May an extra token name a read that is an event? Of reads to come nothing is known yet. */
bool hd_walk_more_matters(const struct hd_walk *w, const struct hd_raw *rec)
{
    const struct hd_walk_thread *t = (const struct hd_walk_thread *)w->threads.data + w->current;
    return w->own.keep_all || w->split.in_wide || hd_tok_hi(rec->w[1]) > t->steps ||
           hd_walk_may_depend(t, rec->w[1]);
}

/* Is the record a call of its own, behind which no event has to stand? See call_steps.c. */
static bool starts_call(const struct hd_walk_thread *t, const struct hd_raw *rec)
{
    if (!t->begun || !rec->site || (t->last_kind == HD_LOG_BRANCH && !t->last_site))
        return false;
    return rec->site != t->last_site ||
           (!t->in_stdio && !(t->last_kind == HD_LOG_READ && t->last_aux & HD_LOG_PENDING));
}

/* Do these granules hold something that depends on a read of the trace? Whole granules, since that
 * is what calm memory is kept of. */
static bool has_sets(const struct hd_cell_page *page, unsigned bits)
{
    if (!page->sets)
        return page->set != 0;
    for (unsigned i = 0; bits >> i; i++)
        for (unsigned k = 0; bits >> i & 1 && k < HD_GRANULE; k++)
            if (page->sets[i * HD_GRANULE + k])
                return true;
    return false;
}

/* Private memory, which holds nothing that depends on a read of the trace. *own: or it is what this
 * thread alone writes, and now reads. */
static inline bool is_plain_in(struct hd_walk *w, uint64_t addr, unsigned len, bool reads,
                               bool *own)
{
    const struct hd_walk_line *line = line_of(w, addr, len);
    if (!line)
        return false;
    unsigned at = line->at + (unsigned)(addr % HD_LINE);
    unsigned bits = (2u << (at + len - 1) / HD_GRANULE) - (1u << at / HD_GRANULE);
    if ((line->page->sets || line->page->set) && has_sets(line->page, bits))
        return false;
    bits &= line->page->shared;
    if (!bits)
        return true;
    /* lent_memory.c takes note of what is on a stack, while the skeleton is made */
    bool mine = reads && !(bits & ~hd_sole_writer_mine(w, line->page)) && !w->split.in_wide &&
                !(w->own.hand && line->region->kind == HD_REGION_STACK);
    *own |= mine;
    return mine;
}

/* The same of an access that may begin in one line and end in the next, of the same region. */
static bool is_plain(struct hd_walk *w, const struct hd_raw *rec, bool *own)
{
    unsigned len = rec->aux & HD_LOG_SIZE, room = HD_LINE - (unsigned)(rec->w[0] % HD_LINE);
    bool reads = rec->kind == HD_LOG_READ || rec->kind == HD_LOG_AREAD;
    if (len <= room)
        return is_plain_in(w, rec->w[0], len, reads, own);
    return is_plain_in(w, rec->w[0], room, reads, own) &&
           is_plain_in(w, rec->w[0] + room, len - room, reads, own) &&
           line_of(w, rec->w[0], room)->region == line_of(w, rec->w[0] + room, 1)->region;
}

/* The end of a local that no other thread has used: see dead_locals.c. */
static bool is_quiet_end(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t room, len = rec->w[1];
    const struct hd_region *g = hd_regions_find(&w->mem.regions, rec->w[0], &room);
    uint64_t linear = hd_region_linear(g, rec->w[0]);
    return len <= room && !hd_cells_shared(&w->mem.cells, linear, len) &&
           !(w->own.hand && hd_walk_hand_is_loose(w, linear, len));
}

bool hd_walk_leave_quick(struct hd_walk *w, const struct hd_raw *rec, bool *noted)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    bool own = false;
    bool atomic = rec->kind == HD_LOG_AREAD || rec->kind == HD_LOG_AWRITE;
    bool writes = rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_AWRITE;
    bool access = writes || rec->kind == HD_LOG_READ || rec->kind == HD_LOG_AREAD;
    if (!access && rec->kind != HD_LOG_BRANCH && rec->kind != HD_LOG_GONE)
        return false;
    if (atomic && (w->split.in_wide || hd_walk_wide_is(w, rec)))
        return false;
    if (w->own.keep_all || !w->info->from_pass || !starts_call(t, rec) || t->ignores)
        return false;
    if (t->more[0].len || t->more[1].len || t->order)
        return false;
    if (rec->kind == HD_LOG_GONE) {
        if (!is_quiet_end(w, rec))
            return false;
        own = true;
    } else if (rec->kind == HD_LOG_BRANCH) {
        if (rec->aux & HD_LOG_JOINED || hd_walk_may_depend(t, rec->w[0]))
            return false;
    } else if (!(rec->aux & HD_LOG_SITE) || hd_walk_may_depend(t, rec->addr) ||
               (writes && hd_walk_may_depend(t, rec->val)) || !is_plain(w, rec, &own)) {
        return false;
    }
    hd_walk_find_call(w, rec);
    *noted = access && w->own.hand && hd_walk_hand_quick(w, rec);
    *noted |= own;
    return true;
}
