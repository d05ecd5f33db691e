/* Stretches of records that change nothing.
 *
 * Most of a log is a thread at work on memory of its own. A walk that builds has nothing to do for
 * such an access but to count it, once it knows that the memory is calm: private, in one region,
 * with contents that depend on no event, and nothing that the walk has to note (it is not loose,
 * and not tainted while the sieve is made). That is kept as one bit for each granule, by address,
 * so that a stretch is decoded and passed over without a look at regions and pages. An access
 * whose granules are not known to be calm goes through on_record as ever; if that finds it to be
 * so, the bits are set. See docs/algorithms/building.md, "Calm memory".
 */
#include "build/lent_memory.h"
#include "build/walk.h"

#include "base/alloc.h"
#include "recording/rawlog_quick.h"

#include <string.h>

#define PAGE_BITS 12
#define PAGES     4096
#define WORDS     ((1u << PAGE_BITS) / HD_GRANULE / 64)

struct hd_walk_calm {
    uint64_t number[PAGES]; /* address >> PAGE_BITS */
    uint64_t bits[PAGES][WORDS];
};

struct hd_walk_calm *hd_walk_calm_new(void)
{
    return hd_calloc(1, sizeof(struct hd_walk_calm));
}

void hd_walk_calm_free(struct hd_walk_calm *c)
{
    hd_free(c, c ? sizeof *c : 0);
}

void hd_walk_calm_clear(struct hd_walk *w)
{
    memset(w->mem.calm->number, 0xff, sizeof w->mem.calm->number);
}

static inline size_t place_of(uint64_t number)
{
    return number % PAGES;
}

/* The bits of the granules [first, last] of a page. */
static void clear_bits(uint64_t *bits, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last;) {
        unsigned n = 64 - i % 64;
        n = n < last - i + 1 ? n : last - i + 1;
        bits[i / 64] &= ~(UINT64_MAX >> (64 - n) << i % 64);
        i += n;
    }
}

void hd_walk_calm_forget(struct hd_walk *w, uint64_t addr, uint64_t len)
{
    struct hd_walk_calm *c = w->mem.calm;
    uint64_t end = addr + len - 1, first = addr >> PAGE_BITS, last = end >> PAGE_BITS;
    const uint64_t in_page = (1u << PAGE_BITS) - 1;
    if (!len)
        return;
    if (end < addr || last - first >= PAGES) {
        hd_walk_calm_clear(w);
        return;
    }
    for (uint64_t n = first; n <= last; n++) {
        size_t at = place_of(n);
        if (c->number[at] == n)
            clear_bits(c->bits[at], n == first ? (unsigned)(addr & in_page) / HD_GRANULE : 0,
                       (unsigned)(n == last ? end & in_page : in_page) / HD_GRANULE);
    }
}

static void set_granule(struct hd_walk_calm *c, uint64_t granule)
{
    uint64_t number = granule / (WORDS * 64);
    unsigned i = (unsigned)(granule % (WORDS * 64));
    size_t at = place_of(number);
    if (c->number[at] != number) {
        c->number[at] = number;
        memset(c->bits[at], 0, sizeof c->bits[at]);
    }
    c->bits[at][i / 64] |= UINT64_C(1) << i % 64;
}

void hd_walk_calm_add(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t base, first = rec->w[0] / HD_GRANULE,
                   last = (rec->w[0] + hd_walk_bytes(rec) - 1) / HD_GRANULE;
    if (rec->kind == HD_LOG_BRANCH || hd_walk_is_view(w, rec->w[0]))
        return;
    for (uint64_t n = first; n <= last; n++)
        set_granule(w->mem.calm, n);
    /* Those beside it will be used next. */
    unsigned bits = hd_walk_quiet_around(w, rec->w[0], &base);
    for (unsigned i = 0; bits >> i; i++)
        if (bits >> i & 1)
            set_granule(w->mem.calm, base / HD_GRANULE + i);
}

/* What the thread did last, and the ids of steps on which something may depend. */
struct stretch {
    const struct hd_walk_calm *calm;
    struct hd_walk *hand; /* the walk, if it makes the skeleton */
    const struct hd_raw_shape *last;
    uint32_t from, to; /* 0: there are none */
    uint32_t steps;    /* of the thread */
};

/* A step of the thread on which something may depend, as far as `from` and `to` tell. */
static inline bool names_any(const struct stretch *s, hd_tok tok)
{
    return hd_tok_hi(tok) && hd_tok_lo(tok) <= s->to && hd_tok_hi(tok) >= s->from;
}

/* The granule of addr. */
static inline __attribute__((always_inline)) bool is_calm(const struct hd_walk_calm *c,
                                                          uint64_t addr)
{
    size_t at = place_of(addr >> PAGE_BITS);
    unsigned i = (unsigned)(addr / HD_GRANULE % (WORDS * 64));
    return c->number[at] == addr >> PAGE_BITS && c->bits[at][i / 64] >> i % 64 & 1;
}

/* All granules of so many bytes. */
static __attribute__((noinline)) bool are_calm(const struct hd_walk_calm *c, uint64_t addr,
                                               unsigned len)
{
    bool calm = is_calm(c, addr + len - 1);
    for (unsigned i = 0; calm && i < len; i += HD_GRANULE)
        calm = is_calm(c, addr + i);
    return calm;
}

/* Is the record a call of its own, as those before it? See starts_call of quick_access.c and joins
 * of call_steps.c: two of one place and kind, one after the other, are two calls. */
static inline bool is_own_call(const struct stretch *s, const struct hd_raw_shape *is)
{
    return is->alone && (is->site != s->last->site || is->kind == s->last->kind);
}

/* The same of loose memory of which nothing is to be noted. */
static inline bool is_loose(const struct stretch *s, const struct hd_rawlog_run *r, unsigned len)
{
    uint64_t word = r->w1;
    bool wide = r->is->quick == HD_QUICK_WIDE;
    return s->hand &&
           hd_walk_loose_pass(s->hand, r->w0, len,
                              r->is->kind == HD_LOG_WRITE || r->is->kind == HD_LOG_RANGE_WRITE,
                              wide ? hd_rawlog_run_bytes(r) : (const uint8_t *)&word);
}

static inline __attribute__((always_inline)) bool passes(const struct stretch *s,
                                                         const struct hd_rawlog_run *r)
{
    const struct hd_raw_shape *is = r->is;
    if (is->quick == HD_QUICK_MORE) {
        hd_tok tok = hd_rawlog_run_token(r, 1);
        return hd_tok_hi(tok) <= s->steps + r->count && !(s->to && names_any(s, tok));
    }
    if (!is_own_call(s, is))
        return false;
    if (s->to &&
        (names_any(s, hd_rawlog_run_token(r, 0)) || names_any(s, hd_rawlog_run_token(r, 1))))
        return false;
    if (is->quick == HD_QUICK_BRANCH)
        return true;
    if (is->quick == HD_QUICK_WORD && r->w0 % HD_GRANULE + is->size <= HD_GRANULE)
        return is_calm(s->calm, r->w0) || is_loose(s, r, is->size);
    unsigned len = is->quick == HD_QUICK_WIDE ? hd_shape_wide(is->shape) : is->size;
    return are_calm(s->calm, r->w0, len) || is_loose(s, r, len);
}

static void widen(struct stretch *s, uint32_t from, uint32_t to)
{
    s->from = !s->to || from < s->from ? from : s->from;
    s->to = to > s->to ? to : s->to;
}

static struct stretch start(struct hd_walk *w, const struct hd_walk_thread *t,
                            const struct hd_raw_shape *last)
{
    struct stretch s = {.calm = w->mem.calm, .hand = w->own.hand ? w : NULL, .last = last};
    const struct hd_walk_known *known = t->known.data;
    if (t->known.len != t->branched)
        widen(&s, known[t->branched].id, known[t->known.len - 1].id);
    if (w->sieve.making && t->tainted.len)
        widen(&s, t->tainted.data[0], t->tainted.data[t->tainted.len - 1]);
    return s;
}

static bool may_pass(const struct hd_walk *w, const struct hd_walk_thread *t)
{
    return !w->own.keep_all && !w->in.whole_log && w->info->from_pass && t->begun && !t->ignores &&
           !t->order && !t->more[0].len && !t->more[1].len && !w->split.in_wide &&
           !hd_walk_lent_turns(t);
}

/* What came before: if a record at its place may belong to its call, one of another kind. */
static struct hd_raw_shape last_of(const struct hd_walk_thread *t)
{
    bool open = t->in_stdio || t->last_aux & HD_LOG_PENDING;
    return (struct hd_raw_shape){.site = t->last_site,
                                 .kind = (uint8_t)(open ? HD_LOG_KIND_COUNT : t->last_kind)};
}

/* is: of the last record that counts, in its slot. */
static void skip(struct hd_walk *w, uint32_t n, const struct hd_raw_shape *is)
{
    const struct hd_pack_slot *slots = w->log.in.pack->slots;
    struct hd_raw last = {
        .kind = (enum hd_log_kind)is->kind,
        .aux = is->aux,
        .slot = (uint32_t)((size_t)((const char *)is - (const char *)slots) / sizeof *slots),
        .site = is->site};
    HD_DCHECK(last.slot < w->log.in.n_keys && is == hd_raw_shape_in(&slots[last.slot]));
    hd_walk_skip_calls(w, n, &last);
    if (w->sieve.making)
        hd_walk_sieve_passed(w, n, &last);
}

bool hd_walk_calm_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    uint64_t most = may_pass(w, t) ? hd_rawlog_may_pass(&w->log) : 0;
    bool more = false;
    most = t->turn_at - t->steps - 1 < most ? t->turn_at - t->steps - 1 : most;
    if (!most || (t->last_kind == HD_LOG_BRANCH && !t->last_site)) /* the latter: a call begins */
        return false;
    struct hd_raw_shape before = last_of(t);
    struct stretch s = start(w, t, &before);
    struct hd_rawlog_run r = hd_rawlog_run_start(&w->log);
    uint32_t first = r.count, stop = first + (uint32_t)most;
    s.steps = t->steps - first;
    while (r.count != stop && (more = hd_rawlog_run_next(&r)) && passes(&s, &r)) {
        s.last = r.is->quick == HD_QUICK_MORE ? s.last : r.is;
        more = false;
    }
    hd_rawlog_run_end(&r);
    if (more)
        hd_rawlog_run_record(&r, rec);
    uint32_t n = r.count - first - (more && r.is->quick != HD_QUICK_MORE);
    if (n)
        skip(w, n, s.last);
    *passed += n;
    return more;
}
