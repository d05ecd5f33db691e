/* Most records change nothing that a walk keeps: a thread uses memory of its own again. They are
 * recognised here, with one look for the region, the page and its marks. What is not recognised
 * takes the long way (own.c, leave.c) with the same result.
 *
 * A line is HD_LINE aligned bytes. Addresses and linear addresses are alike below that, so a line
 * of a region lies in one page. An entry holds until something changes at its addresses: a region
 * comes or goes, or a block is freed.
 */
#include "build/walk.h"

#include "recording/rawlog_quick.h"

#include <string.h>

#define LINES (sizeof((struct hd_walk *)0)->mem.lines / sizeof(struct hd_walk_line))

/* Addresses have 48 bits, lines 44. In the first walk who uses a line is known of its region. */
static inline uint64_t key_of(const struct hd_walk *w, uint64_t addr)
{
    return addr / HD_LINE | (w->pass == HD_WALK_MARK ? (uint64_t)w->current << 44 : 0);
}

void hd_walk_lines_clear(struct hd_walk *w)
{
    for (size_t i = 0; i < LINES; i++)
        w->mem.lines[i].key = UINT64_MAX;
}

void hd_walk_lines_forget(struct hd_walk *w, uint64_t start, uint64_t end)
{
    uint64_t first = start / HD_LINE, last = end / HD_LINE;
    if (last - first >= LINES) {
        hd_walk_lines_clear(w);
        return;
    }
    for (uint64_t n = first; n <= last; n++)
        if (w->mem.lines[n % LINES].key << 20 == n << 20)
            w->mem.lines[n % LINES].key = UINT64_MAX;
}

void hd_walk_set_freed(struct hd_walk *w, struct hd_region *g)
{
    g->freed = true;
    if (w->pass == HD_WALK_MARK)
        hd_walk_lines_forget(w, g->start, g->end);
}

/* For the first walk: the current thread is about to use it. False: it was freed. */
static bool fill_marks(struct hd_walk *w, struct hd_walk_line *line, uint64_t linear)
{
    struct hd_region *g = line->region;
    if (g->freed)
        return false;
    hd_walk_note_thread(w, g);
    line->looks = w->in.types.types.len && g->kind != HD_REGION_STATIC;
    line->page = line->after = hd_cells_page(&w->mem.cells, linear, &line->marks);
    if (line->at + HD_LINE == HD_CELL_PAGE)
        line->after =
            hd_cells_page(&w->mem.cells, linear + HD_LINE, &(struct hd_cell_marks *){NULL});
    return true;
}

/* NULL: the bytes up to `end` of the line are not of one region that can be used so. */
static __attribute__((noinline)) const struct hd_walk_line *
fill(struct hd_walk *w, struct hd_walk_line *line, uint64_t addr, uint64_t end)
{
    uint64_t room, start = addr / HD_LINE * HD_LINE;
    struct hd_region *g = hd_regions_find(&w->mem.regions, start, &room);
    if (room < end)
        return NULL;
    uint64_t linear = hd_region_linear(g, start);
    struct hd_walk_line made = {.key = key_of(w, addr),
                                .region = g,
                                .at = (uint8_t)(linear % HD_CELL_PAGE),
                                .room = (uint8_t)(room < HD_LINE ? room : HD_LINE)};
    if (w->pass != HD_WALK_MARK)
        made.page = hd_cells_page_if(&w->mem.cells, linear);
    if (made.page && w->own.hand)
        hd_cells_page(&w->mem.cells, linear, &made.marks);
    if (w->pass == HD_WALK_MARK ? !fill_marks(w, &made, linear) : !made.page)
        return NULL;
    *line = made;
    return line;
}

/* NULL: not in one line. */
static inline __attribute__((always_inline)) const struct hd_walk_line *
line_of(struct hd_walk *w, uint64_t addr, unsigned len, uint64_t key)
{
    uint64_t end = addr % HD_LINE + len;
    struct hd_walk_line *line = &w->mem.lines[addr / HD_LINE % LINES];
    if (line->key == key && end <= line->room)
        return line;
    return end > HD_LINE ? NULL : fill(w, line, addr, end);
}

/* ---- first walk ---- */

/* What stays the same during a run of records. */
struct now {
    uint64_t key; /* of line 0 */
    uint32_t segment;
    bool holds, keep_all;
};

static inline uint64_t load_granule(const struct hd_cell_marks *marks, unsigned i)
{
    uint64_t word;
    memcpy(&word, marks->bytes + (size_t)i * HD_GRANULE, sizeof word);
    return word;
}

/* Leaves the access the granule as it is, but for its contents, and finds what is known to be
 * there? Then it is done but for the ends of its cell: `use` of own.c does the same. */
static inline __attribute__((always_inline)) bool
settle_granule(const struct now *now, struct hd_cell_marks *marks, unsigned at,
               const struct hd_raw_shape *is, uint64_t value)
{
    unsigned i = at / HD_GRANULE, shift = at % HD_GRANULE * 8;
    const struct hd_owner *own = &marks->own[i];
    uint64_t bytes = (is->ends - UINT64_C(2)) << at, word = load_granule(marks, i);
    if (own->write == now->segment) {
        if (is->kind == HD_LOG_READ)
            return !(((word >> shift) ^ value) & is->mask) && !(~marks->known & bytes);
        if (own->read)
            return false;
        word ^= ((word >> shift ^ value) & is->mask) << shift;
        memcpy(marks->bytes + (size_t)i * HD_GRANULE, &word, sizeof word);
        marks->known |= bytes;
        return true;
    }
    return is->kind == HD_LOG_READ && own->read == now->segment && own->write != HD_OWNER_SHARED &&
           !(((word >> shift) ^ value) & is->mask) && !(~marks->known & bytes);
}

/* Does it leave shared memory as it is, and who writes there? See sole_writer.c. */
static inline bool use_shared(struct hd_walk *w, const struct hd_walk_line *line, unsigned at,
                              const struct hd_raw_shape *is, uint64_t value)
{
    unsigned i = at / HD_GRANULE, shift = at % HD_GRANULE * 8;
    struct hd_cell_marks *marks = line->marks;
    uint64_t bytes = (UINT64_C(1) << is->size) - 1, word = load_granule(marks, i);
    bool writes = is->kind == HD_LOG_WRITE;
    if (!(line->page->shared >> i & 1))
        return false;
    if (marks->writer[i] != UINT32_MAX && !writes &&
        (((word >> shift) ^ value) & is->mask || ~marks->known >> at & bytes))
        return false;
    if (marks->writer[i] != UINT32_MAX && writes) {
        if (marks->writer[i] != w->current + 1)
            return false;
        memcpy(marks->bytes + at, &value, is->size);
        marks->known |= bytes << at;
    }
    hd_walk_use_shared(w, line->page, marks, i, writes);
    return true;
}

/* Any read or write at a site or a code address that the runtime did not make. Here and below a run
 * is given as a copy, so that the caller's can stay in registers. */
static __attribute__((noinline)) bool mark_slowly(struct hd_walk *w, struct hd_rawlog_run r)
{
    struct hd_raw rec;
    hd_rawlog_run_record(&r, &rec);
    w->rec = &rec;
    hd_walk_mark(w, &rec, r.is->quick == HD_QUICK_WIDE ? rec.len : r.is->size);
    w->rec = NULL;
    return true;
}

/* The bytes of an access that are in one page. */
struct part {
    struct hd_cell_page *page;
    struct hd_cell_marks *marks;
    unsigned at, len;
};

/* As settle_granule, of any number of them; but nothing is changed. */
static bool is_settled(const struct hd_walk *w, const struct part *p, bool looks, bool writes,
                       const uint8_t *bytes)
{
    if (looks && ~p->page->touched >> p->at & UINT64_MAX >> (HD_CELL_PAGE - p->len))
        return false;
    for (unsigned i = p->at / HD_GRANULE; i <= (p->at + p->len - 1) / HD_GRANULE; i++) {
        const struct hd_owner *own = &p->marks->own[i];
        if (own->write == w->own.segment
                ? writes && own->read
                : writes || own->read != w->own.segment || own->write == HD_OWNER_SHARED)
            return false;
    }
    return writes || hd_cell_marks_hold(p->marks, p->at, p->len, bytes);
}

/* An access that may reach from granule to granule, in one region. */
static __attribute__((noinline)) bool mark_parts(struct hd_walk *w, struct hd_rawlog_run r,
                                                 unsigned len)
{
    bool writes = r.is->kind == HD_LOG_WRITE || r.is->kind == HD_LOG_RANGE_WRITE;
    const uint8_t *bytes =
        r.is->quick == HD_QUICK_WIDE ? hd_rawlog_run_bytes(&r) : (const uint8_t *)&r.w1;
    unsigned room = HD_LINE - (unsigned)(r.w0 % HD_LINE), n = 1;
    const struct hd_walk_line *line = line_of(w, r.w0, len < room ? len : room, key_of(w, r.w0));
    if (!line || r.w0 + len > line->region->end || w->own.keep_all)
        return mark_slowly(w, r);
    struct part parts[2] = {{line->page, line->marks, line->at + (unsigned)(r.w0 % HD_LINE), len}};
    uint64_t linear = hd_region_linear(line->region, r.w0);
    bool looks = line->looks;
    if (parts[0].at + len > HD_CELL_PAGE) {
        parts[0].len = HD_CELL_PAGE - parts[0].at;
        parts[1].len = len - parts[0].len;
        parts[1].page = hd_cells_page(&w->mem.cells, linear + parts[0].len, &parts[1].marks);
        n = 2;
    }
    for (unsigned i = 0; i < n; i++)
        if (!is_settled(w, &parts[i], looks, writes, bytes + (i ? parts[0].len : 0)))
            return mark_slowly(w, r);
    for (unsigned i = 0; i < n; i++) {
        const struct part *p = &parts[i];
        if (writes)
            hd_cell_marks_keep(p->marks, p->at, p->len, bytes + (i ? parts[0].len : 0));
        if (hd_walk_current(w)->holds)
            p->page->in_section |= (uint8_t)hd_cell_granules(p->at, p->len);
    }
    hd_cells_mark(&w->mem.cells, linear, len);
    return true;
}

static inline __attribute__((always_inline)) bool
mark_word(struct hd_walk *w, const struct now *now, const struct hd_rawlog_run *r)
{
    const struct hd_raw_shape *is = r->is;
    uint64_t addr = r->w0, ends = is->ends;
    if (!is->plain)
        return false;
    if (addr % HD_GRANULE + is->size > HD_GRANULE)
        return mark_parts(w, *r, is->size);
    const struct hd_walk_line *line = line_of(w, addr, is->size, now->key | addr / HD_LINE);
    if (!line)
        return mark_slowly(w, *r);
    unsigned at = line->at + (unsigned)(addr % HD_LINE);
    struct hd_cell_page *page = line->page;
    if (line->looks && ~page->touched >> at & (ends - 2))
        return mark_slowly(w, *r);
    if (!now->keep_all && !settle_granule(now, line->marks, at, is, r->w1) &&
        !use_shared(w, line, at, is, r->w1))
        return mark_slowly(w, *r);
    if (now->holds)
        page->in_section |= (uint8_t)(1u << at / HD_GRANULE);
    if (ends << at & ~page->edges)
        page->edges |= ends << at;
    if (at + is->size == HD_CELL_PAGE)
        line->after->edges |= 1;
    return true;
}

/* False: it has to be looked at as a whole. */
static inline __attribute__((always_inline)) bool
mark_record(struct hd_walk *w, const struct now *now, const struct hd_rawlog_run *r)
{
    if (r->is->quick == HD_QUICK_WORD)
        return mark_word(w, now, r);
    if (r->is->quick != HD_QUICK_WIDE)
        return true; /* nothing for this walk */
    return mark_parts(w, *r, hd_shape_wide(r->is->shape));
}

bool hd_walk_mark_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    uint64_t most = t->ignores ? 0 : hd_rawlog_may_pass(&w->log);
    if (!most)
        return false;
    struct now now = {key_of(w, 0), w->own.segment, t->holds && !w->own.keep_all, w->own.keep_all};
    struct hd_rawlog_run r = hd_rawlog_run_start(&w->log);
    uint32_t first = r.count, stop = first + (uint32_t)most;
    bool more = false;
    while (r.count != stop && (more = hd_rawlog_run_next(&r)) && mark_record(w, &now, &r))
        more = false;
    hd_rawlog_run_end(&r);
    if (more)
        hd_rawlog_run_record(&r, rec);
    *passed += r.count - first;
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
           (!t->in_stdio && !(t->last_kind == HD_LOG_READ && t->last_aux & HD_LOG_PENDING) &&
            (rec->kind == t->last_kind || !hd_walk_is_wide(rec)));
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
                               bool *own, const struct hd_region **g)
{
    const struct hd_walk_line *line = line_of(w, addr, len, key_of(w, addr));
    if (!line)
        return false;
    *g = line->region;
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

/* The same of an access that may reach from line to line, of one region. */
static bool is_plain(struct hd_walk *w, const struct hd_raw *rec, uint64_t len, bool *own)
{
    bool reads =
        rec->kind == HD_LOG_READ || rec->kind == HD_LOG_AREAD || rec->kind == HD_LOG_RANGE_READ;
    const struct hd_region *g = NULL;
    for (uint64_t addr = rec->w[0], part; len; addr += part, len -= part) {
        const struct hd_region *here;
        part = HD_LINE - addr % HD_LINE;
        part = len < part ? len : part;
        if (!is_plain_in(w, addr, (unsigned)part, reads, own, &here) || (g && g != here))
            return false;
        g = here;
    }
    return true;
}

bool hd_walk_is_view(struct hd_walk *w, uint64_t addr)
{
    const struct hd_walk_line *line = line_of(w, addr, 1, key_of(w, addr));
    return line && line->region->view;
}

unsigned hd_walk_quiet_around(struct hd_walk *w, uint64_t addr, uint64_t *base)
{
    uint64_t from, to;
    const struct hd_walk_line *line = line_of(w, addr, 1, key_of(w, addr));
    if (!line || line->page->sets || line->page->set)
        return 0;
    const struct hd_cell_page *p = line->page;
    unsigned noted = p->shared | p->loose | p->tainted, bits = 0;
    *base = addr / HD_LINE * HD_LINE - line->at;
    hd_regions_span(&w->mem.regions, addr, &from, &to);
    for (unsigned i = 0; i < HD_GRANULES; i++) {
        uint64_t at = *base + (uint64_t)i * HD_GRANULE;
        bits |= (unsigned)(at >= from && at + HD_GRANULE <= to) << i;
    }
    return bits & ~noted;
}

bool hd_walk_loose_pass(struct hd_walk *w, uint64_t addr, unsigned len, bool writes,
                        const uint8_t *bytes)
{
    const struct hd_walk_line *line = line_of(w, addr, len, key_of(w, addr));
    uint32_t point = hd_walk_current(w)->point;
    if (!line || !point || line->region->kind == HD_REGION_STACK) /* see lent_memory.c */
        return false;
    const struct hd_cell_page *page = line->page;
    unsigned at = line->at + (unsigned)(addr % HD_LINE), bits = hd_cell_granules(at, len);
    unsigned other = page->shared | page->spoilt | ~(unsigned)page->loose |
                     (w->sieve.making ? page->suspect | page->tainted : 0);
    if (bits & other || page->sets || page->set)
        return false;
    for (unsigned i = at / HD_GRANULE; bits >> i; i++)
        if (!hd_walk_hand_noted(&line->marks->own[i], point, writes))
            return false;
    if (writes)
        hd_cell_marks_keep(line->marks, at, len, bytes);
    return writes || hd_cell_marks_hold(line->marks, at, len, bytes);
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
    bool wide = hd_walk_is_wide(rec);
    bool writes = rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_AWRITE ||
                  (wide && rec->kind == HD_LOG_RANGE_WRITE);
    bool access = writes || wide || rec->kind == HD_LOG_READ || rec->kind == HD_LOG_AREAD;
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
               (writes && hd_walk_may_depend(t, rec->val)) ||
               !is_plain(w, rec, hd_walk_bytes(rec), &own)) {
        return false;
    }
    hd_walk_find_call(w, rec);
    *noted = access && w->own.hand && hd_walk_hand_quick(w, rec);
    *noted |= own;
    return true;
}
