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
static void set_bits(uint64_t *bits, unsigned first, unsigned last, bool calm)
{
    for (unsigned i = first; i <= last; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        bits[i / 64] = calm ? bits[i / 64] | bit : bits[i / 64] & ~bit;
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
            set_bits(c->bits[at], n == first ? (unsigned)(addr & in_page) / HD_GRANULE : 0,
                     (unsigned)(n == last ? end & in_page : in_page) / HD_GRANULE, false);
    }
}

void hd_walk_calm_add(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_calm *c = w->mem.calm;
    uint64_t number = rec->w[0] >> PAGE_BITS, end = rec->w[0] + (rec->aux & HD_LOG_SIZE) - 1;
    size_t at = place_of(number);
    if (rec->kind == HD_LOG_BRANCH || end >> PAGE_BITS != number)
        return;
    if (c->number[at] != number) {
        c->number[at] = number;
        memset(c->bits[at], 0, sizeof c->bits[at]);
    }
    const uint64_t in_page = (1u << PAGE_BITS) - 1;
    set_bits(c->bits[at], (unsigned)(rec->w[0] & in_page) / HD_GRANULE,
             (unsigned)(end & in_page) / HD_GRANULE, true);
}

/* What the thread did last, and the ids of steps on which something may depend. */
struct stretch {
    const struct hd_walk_calm *calm;
    struct hd_raw last;
    bool in_stdio;
    uint32_t from, to; /* 0: there are none */
};

/* A step of the thread on which something may depend, as far as `from` and `to` tell. */
static inline bool names_any(const struct stretch *s, hd_tok tok)
{
    return s->to && hd_tok_hi(tok) && hd_tok_lo(tok) <= s->to && hd_tok_hi(tok) >= s->from;
}

static inline bool is_calm(const struct hd_walk_calm *c, uint64_t addr, unsigned len)
{
    uint64_t number = addr >> PAGE_BITS;
    size_t at = place_of(number);
    unsigned first = (unsigned)(addr & ((1u << PAGE_BITS) - 1)) / HD_GRANULE;
    unsigned last = (unsigned)((addr & ((1u << PAGE_BITS) - 1)) + len - 1) / HD_GRANULE;
    if (c->number[at] != number || last >= WORDS * 64)
        return false;
    return c->bits[at][first / 64] >> first % 64 & c->bits[at][last / 64] >> last % 64 & 1;
}

/* Is the record a call of its own? See starts_call of quick_access.c and joins of call_steps.c: two
 * of one place and kind, one after the other, are two calls. */
static inline bool is_own_call(const struct stretch *s, const struct hd_raw *rec)
{
    if (rec->site != s->last.site)
        return rec->site != 0 && !(s->last.kind == HD_LOG_BRANCH && !s->last.site);
    return rec->site != 0 && rec->kind == s->last.kind && !s->in_stdio &&
           !(s->last.aux & HD_LOG_PENDING);
}

static inline bool passes(const struct stretch *s, const struct hd_raw *rec)
{
    if (!is_own_call(s, rec))
        return false;
    if (rec->kind == HD_LOG_BRANCH)
        return !(rec->aux & HD_LOG_JOINED) && !names_any(s, rec->w[0]);
    if (rec->kind != HD_LOG_READ && rec->kind != HD_LOG_WRITE)
        return false;
    if ((rec->aux & (HD_LOG_SITE | HD_LOG_PENDING)) != HD_LOG_SITE)
        return false;
    return is_calm(s->calm, rec->w[0], rec->aux & HD_LOG_SIZE) && !names_any(s, rec->addr) &&
           !(rec->kind == HD_LOG_WRITE && names_any(s, rec->val));
}

static void widen(struct stretch *s, uint32_t from, uint32_t to)
{
    s->from = !s->to || from < s->from ? from : s->from;
    s->to = to > s->to ? to : s->to;
}

static struct stretch start(const struct hd_walk *w, const struct hd_walk_thread *t)
{
    struct stretch s = {.calm = w->mem.calm, .in_stdio = t->in_stdio};
    const struct hd_walk_known *known = t->known.data;
    s.last.kind = (enum hd_log_kind)t->last_kind;
    s.last.aux = t->last_aux;
    s.last.site = t->last_site;
    if (t->known.len != t->branched)
        widen(&s, known[t->branched].id, known[t->known.len - 1].id);
    if (w->sieve.making && t->tainted.len)
        widen(&s, t->tainted.data[0], t->tainted.data[t->tainted.len - 1]);
    return s;
}

static bool may_pass(const struct hd_walk *w, const struct hd_walk_thread *t)
{
    return !w->own.keep_all && !w->in.whole_log && w->info->from_pass && t->begun && !t->ignores &&
           !t->order && !t->more[0].len && !t->more[1].len;
}

bool hd_walk_calm_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    uint64_t most = may_pass(w, t) ? hd_rawlog_may_pass(&w->log) : 0, n = 0;
    bool more = false;
    if (hd_walk_lent_turns(t))
        return false;
    most = t->turn_at - t->steps - 1 < most ? t->turn_at - t->steps - 1 : most;
    if (!most)
        return false;
    struct stretch s = start(w, t);
    struct hd_raw at = {0}; /* not *rec: it can stay in registers */
    while (n < most && (more = hd_rawlog_quick(&w->log, &at)) && passes(&s, &at)) {
        n++;
        s.last.kind = at.kind;
        s.last.aux = at.aux;
        s.last.site = at.site;
        s.last.slot = at.slot;
        s.in_stdio = more = false;
    }
    *rec = at;
    if (n)
        hd_walk_skip_calls(w, n, &s.last);
    if (n && w->sieve.making)
        hd_walk_sieve_passed(w, n, &s.last);
    *passed += (uint32_t)n;
    return more;
}
