/* The records that matter, for walks that build once more.
 *
 * Nearly all records are accesses to memory that is left out, of values that depend on no event:
 * all that remains of them is how many steps the thread made, and the last of them. So the first
 * walk that builds the trace writes down the others, and those after it read these only.
 *
 * Walks differ in which reads they find decided and which memory carries something. So what depends
 * on shared memory is followed here without regard to that: the steps of a thread that may read
 * something of it (`tainted` of the thread), and memory that may hold it (`tainted` of the page).
 * See docs/algorithms/building.md, "The sieve".
 */
#include "build/walk.h"

#include "base/log.h"
#include "base/stop.h"

#define MOST  (UINT64_C(128) << 20) /* bytes, of a log that is not very long */
#define SHARE 3                     /* of a longer one: of its bytes, one of so many */
#define ROOM  4                     /* but then of the memory that is left one of so many */
#define LOOK  1048576               /* from so many steps on at most one of FEW may be kept */
#define FEW   4
/* In place of a kind: steps that mean nothing; the last of them is what its slot says, or not. */
enum { SKIP = UINT8_MAX, SKIP_SHAPED = UINT8_MAX - 1 };

/* What of a record is written down. */
enum {
    HAS_SLOT = 1,
    HAS_WORD = 2,
    HAS_VALUE = 4,
    HAS_WORDS = 8, /* 2 and 3 */
    HAS_LEN = 16,
    HAS_ADDR = 32,
    HAS_VAL = 64,
    HAS_SHAPE = 128, /* site and aux are those of the slot */
};

/* ---- what depends on shared memory ---- */

/* May what the token names depend on it? */
static bool is_tainted(const struct hd_walk_thread *t, hd_tok tok)
{
    const struct hd_u32vec *ids = &t->tainted;
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok);
    if (tok == HD_TOK_ALL)
        return ids->len > 0;
    if (hi == 0 || lo > hi || !ids->len || ids->data[ids->len - 1] < lo)
        return false;
    size_t low = 0, high = ids->len; /* the first that is at least lo */
    for (size_t step = 1; step < ids->len && ids->data[ids->len - step] >= lo; step *= 2)
        high = ids->len - step + 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ids->data[mid] < lo)
            low = mid + 1;
        else
            high = mid;
    }
    return low < ids->len && ids->data[low] <= hi;
}

static bool any_tainted(const struct hd_walk_thread *t, const struct hd_vec *more)
{
    for (size_t i = 0; i < more->len; i++)
        if (is_tainted(t, *(const hd_tok *)hd_vec_at(more, i)))
            return true;
    return false;
}

/* The part of an access in one page. Whether what is there may depend on shared memory, of which
 * `mine` counts as private; `put`: what it holds from here on may (1) or does not (0); -1: it is
 * not written. */
static bool pass_page(struct hd_cell_page *page, uint64_t at, uint64_t len, unsigned mine, int put)
{
    unsigned bits = hd_cell_granules(at, len), whole = bits;
    bool tainted = (((page->shared | page->suspect) & ~mine) | page->tainted) & bits;
    if (put > 0)
        page->tainted |= (uint8_t)bits;
    if (put == 0) {
        if (at % HD_GRANULE)
            whole &= ~(1u << at / HD_GRANULE);
        if ((at + len) % HD_GRANULE)
            whole &= ~(1u << (at + len) / HD_GRANULE);
        page->tainted &= (uint8_t)~whole;
    }
    return tainted;
}

/* `own`: a read, of which what the thread alone writes needs no regard (sole_writer.c). */
static bool pass_memory(struct hd_walk *w, uint64_t addr, uint64_t len, bool own, int put)
{
    bool tainted = false;
    if (put > 0)
        hd_walk_calm_forget(w, addr, len);
    while (len) {
        uint64_t room, part = len;
        const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        uint64_t linear = hd_region_linear(g, addr), left = HD_CELL_PAGE - linear % HD_CELL_PAGE;
        part = part < room ? part : room;
        part = part < left ? part : left;
        struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, linear);
        unsigned mine = page && own && !w->split.in_wide ? hd_sole_writer_mine(w, page) : 0;
        tainted |= !page || pass_page(page, linear % HD_CELL_PAGE, part, mine, put);
        addr += part;
        len -= part;
    }
    return tainted;
}

/* A branch on what the token names stands here, in every walk: later ones need not say it. */
static void decide(struct hd_walk_thread *t, hd_tok tok)
{
    struct hd_u32vec *ids = &t->tainted;
    if (tok == HD_TOK_ALL)
        ids->len = 0;
    else if (hd_tok_hi(tok) && ids->len && ids->data[ids->len - 1] <= hd_tok_hi(tok))
        while (ids->len && ids->data[ids->len - 1] >= hd_tok_lo(tok))
            ids->len--;
}

/* Follows a step that is written down. */
static void follow(struct hd_walk *w, const struct hd_raw *rec, uint32_t id)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    uint64_t len = range ? rec->len : rec->aux & HD_LOG_SIZE;
    bool reads = true, writes = rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_RANGE_WRITE;
    bool known = rec->aux & (range ? HD_LOG_SITE | HD_LOG_CALL : HD_LOG_SITE);
    if (rec->kind == HD_LOG_BRANCH) {
        decide(t, rec->w[0]);
        return;
    }
    if (!known && rec->kind <= HD_LOG_RANGE_WRITE && !t->ignores)
        decide(t, HD_TOK_ALL);
    if (rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ) {
        reads = pass_memory(w, rec->w[0], len, true, -1);
    } else if (writes) {
        bool put = known && (is_tainted(t, rec->val) || any_tainted(t, &t->more[0]));
        pass_memory(w, rec->w[0], len, false, put);
        reads = false;
    } else if (rec->kind >= HD_LOG_AREAD && rec->kind <= HD_LOG_RMW) {
        pass_memory(w, rec->w[0], len, false, rec->kind != HD_LOG_AREAD ? 1 : -1);
    }
    if (reads)
        hd_u32vec_push(&t->tainted, id);
}

/* An extra token of reads that are no events in any walk. */
static bool says_nothing(struct hd_walk *w, const struct hd_raw *more)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    return !w->split.in_wide && hd_tok_hi(more->w[1]) <= t->steps && !is_tainted(t, more->w[1]);
}

/* Does the record, which this walk left out, mean nothing to any other? */
static bool is_nothing(struct hd_walk *w, const struct hd_raw *rec)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    if (rec->kind == HD_LOG_BRANCH)
        return !is_tainted(t, rec->w[0]);
    if (rec->kind == HD_LOG_GONE) /* of private memory: it stores nothing, in any walk */
        return true;
    bool writes =
        rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_AWRITE || rec->kind == HD_LOG_RANGE_WRITE;
    if (is_tainted(t, rec->addr) || (writes && is_tainted(t, rec->val)))
        return false;
    return !pass_memory(w, rec->w[0], hd_walk_bytes(rec), !writes, -1);
}

/* ---- the records that are kept ---- */

static uint64_t zigzag(uint64_t x)
{
    return x << 1 ^ (uint64_t)((int64_t)x >> 63);
}

static uint64_t unzigzag(uint64_t x)
{
    return x >> 1 ^ (0 - (x & 1));
}

static void put_token(struct hd_walk_sieve *s, hd_tok tok)
{
    hd_bytes_varint(&s->kept, zigzag(hd_tok_hi(tok) - (uint64_t)s->last_hi));
    hd_bytes_varint(&s->kept, zigzag(hd_tok_hi(tok) - (uint64_t)hd_tok_lo(tok)));
    s->last_hi = hd_tok_hi(tok);
}

static hd_tok get_token(struct hd_walk_sieve *s, struct hd_bytes_cur *in)
{
    s->last_hi += (uint32_t)unzigzag(hd_bytes_get(in));
    uint32_t lo = s->last_hi - (uint32_t)unzigzag(hd_bytes_get(in));
    return hd_tok_range(lo, s->last_hi);
}

static void put_byte(struct hd_walk_sieve *s, uint8_t byte)
{
    hd_bytes_put(&s->kept, &byte, 1);
}

static void put_where(struct hd_walk_sieve *s, const struct hd_raw *rec)
{
    hd_bytes_varint(&s->kept, rec->aux);
    hd_bytes_varint(&s->kept, rec->site);
}

/* Does the slot of the record say its kind, site and aux? Slot 0 says something else each time. */
static bool is_shaped(const struct hd_walk *w, const struct hd_raw *rec)
{
    const struct hd_raw_shape *is = &w->log.in.shapes[rec->slot];
    return rec->slot && is->kind == rec->kind && is->site == rec->site && is->aux == rec->aux;
}

static void put_skipped(struct hd_walk *w)
{
    struct hd_walk_sieve *s = &w->sieve;
    bool shaped = is_shaped(w, &s->last);
    if (!s->skipped)
        return;
    put_byte(s, shaped ? SKIP_SHAPED : SKIP);
    hd_bytes_varint(&s->kept, s->skipped);
    hd_bytes_varint(&s->kept, s->last.slot);
    if (!shaped) {
        put_byte(s, (uint8_t)s->last.kind);
        put_where(s, &s->last);
    }
    s->skipped = 0;
}

/* The second word of an extra token is the token. */
static uint64_t usual_value(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_MORE ? rec->val : 0;
}

static void put_record(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_sieve *s = &w->sieve;
    bool shaped = is_shaped(w, rec), value = rec->w[1] != usual_value(rec);
    put_byte(s, (uint8_t)rec->kind);
    put_byte(s, (uint8_t)((rec->slot ? HAS_SLOT : 0) | (rec->w[0] ? HAS_WORD : 0) |
                          (value ? HAS_VALUE : 0) | (rec->w[2] || rec->w[3] ? HAS_WORDS : 0) |
                          (rec->len || rec->data ? HAS_LEN : 0) |
                          (rec->addr != HD_TOK_NONE ? HAS_ADDR : 0) |
                          (rec->val != HD_TOK_NONE ? HAS_VAL : 0) | (shaped ? HAS_SHAPE : 0)));
    if (rec->slot)
        hd_bytes_varint(&s->kept, rec->slot);
    if (!shaped)
        put_where(s, rec);
    if (rec->kind == HD_LOG_BRANCH) {
        put_token(s, rec->w[0]);
    } else if (rec->w[0]) {
        hd_bytes_varint(&s->kept, zigzag(rec->w[0] - s->last_word));
        s->last_word = rec->w[0];
    }
    if (value)
        hd_bytes_varint(&s->kept, rec->w[1]);
    if (rec->w[2] || rec->w[3]) {
        hd_bytes_varint(&s->kept, rec->w[2]);
        hd_bytes_varint(&s->kept, rec->w[3]);
    }
    if (rec->addr != HD_TOK_NONE)
        put_token(s, rec->addr);
    if (rec->val != HD_TOK_NONE)
        put_token(s, rec->val);
    if (rec->len || rec->data) {
        hd_bytes_varint(&s->kept, rec->len);
        put_byte(s, rec->data != NULL);
    }
    if (rec->data)
        hd_bytes_put(&s->kept, rec->data, rec->len);
}

static void get_where(const struct hd_walk *w, bool shaped, struct hd_bytes_cur *in,
                      struct hd_raw *rec)
{
    const struct hd_raw_shape *is = &w->log.in.shapes[rec->slot];
    rec->aux = shaped ? is->aux : (unsigned)hd_bytes_get(in);
    rec->site = shaped ? is->site : hd_bytes_get(in);
}

static void get_skipped(struct hd_walk *w, struct hd_bytes_cur *in, struct hd_raw *rec)
{
    bool shaped = *in->p++ == SKIP_SHAPED;
    uint64_t n = hd_bytes_get(in);
    hd_raw_clear(rec);
    rec->slot = (uint32_t)hd_bytes_get(in);
    rec->kind =
        shaped ? (enum hd_log_kind)w->log.in.shapes[rec->slot].kind : (enum hd_log_kind) * in->p++;
    get_where(w, shaped, in, rec);
    w->log.events += n;
    hd_walk_skip_calls(w, n, rec);
}

/* What an earlier one that was dropped has left. */
static void forget(struct hd_walk *w)
{
    w->sieve.n_kept = 0;
    for (size_t b = 0; b < w->mem.cells.blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&w->mem.cells.blocks, b);
        for (size_t k = 0; k < HD_CELL_PAGES; k++)
            block->pages[k].tainted = 0;
    }
}

/* ---- for the walks ---- */

/* How many bytes are worth while: a walk over the whole log costs what the log is long. */
static uint64_t most_bytes(const struct hd_walk *w)
{
    uint64_t share = hd_rawlog_bytes(&w->log) / SHARE, room = hd_stop_memory() / ROOM;
    share = share < room ? share : room;
    return share > MOST ? share : MOST;
}

void hd_walk_sieve_start(struct hd_walk *w)
{
    bool first = !w->sieve.ready && w->sieve.wanted && !w->log.forks[0];
    w->sieve.making = first && w->pass != HD_WALK_MARK;
    if (w->sieve.making) {
        forget(w);
        w->sieve.most = most_bytes(w);
    }
    w->sieve.reading = w->sieve.ready && w->pass != HD_WALK_MARK && !w->own.hand;
    w->sieve.last_word = w->sieve.skipped = 0;
    w->sieve.last_hi = 0;
    w->sieve.in = (struct hd_bytes_cur){0};
    if (w->sieve.kept.len) /* else there may be no data to point to */
        w->sieve.in = (struct hd_bytes_cur){w->sieve.kept.data,
                                            w->sieve.kept.data + w->sieve.kept.len, false};
}

void hd_walk_sieve_drop(struct hd_walk *w)
{
    w->sieve.ready = false;
    hd_bytes_fini(&w->sieve.kept);
}

void hd_walk_sieve_end(struct hd_walk *w, bool whole)
{
    struct hd_walk_sieve *s = &w->sieve;
    if (!s->making)
        return;
    put_skipped(w);
    HD_DEBUG_LINE(BUILD, "sieve: %llu of %llu steps are kept, %zu bytes%s",
                  (unsigned long long)s->n_kept, (unsigned long long)w->log.events, s->kept.len,
                  whole ? "" : "; it is not used");
    s->making = false;
    s->wanted = s->ready = whole;
    s->records = w->log.events;
    for (size_t i = 0; i < w->threads.len; i++)
        hd_u32vec_fini(&((struct hd_walk_thread *)hd_vec_at(&w->threads, i))->tainted);
    if (!whole)
        hd_walk_sieve_drop(w);
}

void hd_walk_sieve_keep(struct hd_walk *w, const struct hd_raw *rec, uint32_t id)
{
    struct hd_walk_sieve *s = &w->sieve;
    if (rec->kind == HD_LOG_MORE && says_nothing(w, rec))
        return;
    if (rec->kind <= HD_LOG_LAST_EVENT)
        follow(w, rec, id);
    s->n_kept += rec->kind <= HD_LOG_LAST_EVENT;
    put_skipped(w);
    put_record(w, rec);
    if (s->kept.len > s->most || (w->log.events > LOOK && s->n_kept > w->log.events / FEW))
        hd_walk_sieve_end(w, false);
}

void hd_walk_sieve_passed(struct hd_walk *w, uint64_t n, const struct hd_raw *last)
{
    w->sieve.skipped += n;
    w->sieve.last = *last;
}

bool hd_walk_sieve_counts(struct hd_walk *w, const struct hd_raw *more)
{
    return w->sieve.making && !says_nothing(w, more);
}

bool hd_walk_sieve_skip(struct hd_walk *w, const struct hd_raw *rec)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    if (t->call_step != t->steps || !is_nothing(w, rec))
        return false;
    hd_walk_sieve_passed(w, 1, rec);
    return true;
}

bool hd_walk_sieve_next(struct hd_walk *w, struct hd_raw *rec)
{
    struct hd_walk_sieve *s = &w->sieve;
    struct hd_bytes_cur *in = &s->in;
    while (in->p < in->end && *in->p >= SKIP_SHAPED)
        get_skipped(w, in, rec);
    if (in->p >= in->end)
        return false;
    hd_raw_clear(rec);
    rec->kind = (enum hd_log_kind) * in->p++;
    unsigned has = *in->p++;
    if (has & HAS_SLOT)
        rec->slot = (uint32_t)hd_bytes_get(in);
    get_where(w, has & HAS_SHAPE, in, rec);
    if (rec->kind == HD_LOG_BRANCH)
        rec->w[0] = get_token(s, in);
    else if (has & HAS_WORD)
        rec->w[0] = s->last_word += unzigzag(hd_bytes_get(in));
    if (has & HAS_VALUE)
        rec->w[1] = hd_bytes_get(in);
    if (has & HAS_WORDS) {
        rec->w[2] = hd_bytes_get(in);
        rec->w[3] = hd_bytes_get(in);
    }
    if (has & HAS_ADDR)
        rec->addr = get_token(s, in);
    if (has & HAS_VAL)
        rec->val = get_token(s, in);
    if (!(has & HAS_VALUE))
        rec->w[1] = usual_value(rec);
    if (has & HAS_LEN) {
        rec->len = hd_bytes_get(in);
        rec->data = *in->p++ ? in->p : NULL;
        in->p += rec->data ? rec->len : 0;
    }
    w->log.events += rec->kind <= HD_LOG_LAST_EVENT;
    return true;
}
