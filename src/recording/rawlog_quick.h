/* Many records of a log, one after the other: plain and atomic reads and writes of up to 64 bytes,
 * branches, and extra tokens. What the reader keeps stays in registers meanwhile, so that the log
 * itself may not be used between hd_rawlog_run_start and hd_rawlog_run_end.
 *
 * A record at hand is what `is`, `w0` and `w1` say; hd_rawlog_run_record makes the whole of it.
 */
#ifndef HD_RECORDING_RAWLOG_QUICK_H
#define HD_RECORDING_RAWLOG_QUICK_H

#include "log/rt_unpack.h"
#include "recording/rawlog.h"

#define HD_RAWLOG_STRETCH                                                                          \
    1024 /* records to go over at most, before the walk looks at the clock                         \
          */

/* How many events may be taken, one after the other. */
static inline uint64_t hd_rawlog_may_pass(const struct hd_rawlog *log)
{
    if (log->inherits || log->broken)
        return 0;
    uint64_t left = !log->limit                ? HD_RAWLOG_STRETCH
                    : log->limit > log->events ? log->limit - log->events
                                               : 0;
    return left < HD_RAWLOG_STRETCH ? left : HD_RAWLOG_STRETCH;
}

struct hd_rawlog_run {
    struct hd_rawlog *log;
    struct hd_pack *pk;
    const uint8_t *q;          /* the next record */
    struct hd_pack_slot *slot; /* of the last one */
    uint32_t count;            /* as in struct hd_raw_reader */
    bool broken;
    /* The record at hand: */
    const struct hd_raw_shape *is;
    uint64_t w0, w1;
};

static inline struct hd_rawlog_run hd_rawlog_run_start(struct hd_rawlog *log)
{
    struct hd_pack *pk = log->in.pack;
    return (struct hd_rawlog_run){
        .log = log,
        .pk = pk,
        .q = log->chunk + log->pos,
        .slot = hd_pack_at(pk, pk->prev),
        .count = log->in.count,
    };
}

static inline void hd_rawlog_run_end(const struct hd_rawlog_run *r)
{
    struct hd_rawlog *log = r->log;
    r->pk->prev = (uint32_t)((const char *)r->slot - (const char *)r->pk->slots);
    log->pos = (size_t)(r->q - log->chunk);
    log->events += r->count - log->in.count;
    log->in.count = r->count;
    log->broken = log->broken || r->broken;
}

/* The slot of the next record, by its first byte. NULL: it is none of those read here. */
static inline __attribute__((always_inline)) struct hd_pack_slot *
hd_rawlog_run_slot(const struct hd_rawlog_run *r, const uint8_t **q, unsigned code)
{
    uint32_t offset = 0; /* slot 0 says nothing */
    if (code == 1 || code == 2) {
        offset = r->slot->next[code - 1];
    } else if (code == 3) {
        uint64_t number = hd_unpack_varint(q);
        offset = number < r->log->in.n_keys ? hd_pack_offset((uint32_t)number) : 0;
    }
    struct hd_pack_slot *s = hd_pack_at(r->pk, offset);
    return hd_raw_shape_in(s)->quick ? s : NULL;
}

/* False: the next record is none of these, and nothing has changed; or it cannot be. */
static inline __attribute__((always_inline)) bool hd_rawlog_run_next(struct hd_rawlog_run *r)
{
    const uint8_t *q = r->q;
    unsigned flag = *q++, code = flag & 3; /* behind the chunk there are zeros */
    struct hd_pack_slot *s = hd_rawlog_run_slot(r, &q, code);
    if (!s)
        return false;
    if (code != 1) { /* as hd_pack_follow */
        r->slot->next[1] = r->slot->next[0];
        r->slot->next[0] = (uint32_t)((const char *)s - (const char *)r->pk->slots);
    }
    const struct hd_raw_shape *is = hd_raw_shape_in(s);
    r->slot = s;
    r->is = is;
    if (is->quick == HD_QUICK_WORD) {
        uint64_t w0 = hd_unpack_word0(r->pk, s, &q, flag >> 2 & 3), mask = is->mask;
        uint8_t *mirror = hd_pack_mirror(r->pk, w0);
        uint64_t there = hd_pack_peek(mirror, 8), w1 = there & mask;
        if (flag >> 4 & 3) {
            w1 = hd_unpack_word1(s, &q, flag, is, w1, w0, r->pk->value);
            hd_pack_poke(mirror, 8, (there & ~mask) | w1);
        }
        r->w0 = w0;
        r->w1 = w1;
        if (is->points)
            r->pk->base[0] = w1;
        if (is->looks) {
            r->pk->value = w1;
            r->pk->base[1] = w0;
        }
    } else if (is->quick != HD_QUICK_BRANCH) {
        r->w0 = hd_unpack_word0(r->pk, s, &q, flag >> 2 & 3);
        if (is->quick == HD_QUICK_WIDE && flag >> 4 & 3)
            q = hd_unpack_wide(&r->log->in, q, flag, is->shape, r->w0);
        r->broken = !q;
        if (!q)
            return false;
        if (is->kind == HD_LOG_RANGE_READ && (flag >> 4 & 3) != 1)
            r->pk->wide = r->w0;
    }
    if (flag & 64)
        q = hd_unpack_tokens(s, q, flag, r->count, (hd_tok[2]){0});
    r->count++;
    if (is->quick == HD_QUICK_MORE)
        r->count--;
    r->q = q;
    return true;
}

/* The bytes of a wide record at hand, until the next one. */
static inline const uint8_t *hd_rawlog_run_bytes(const struct hd_rawlog_run *r)
{
    return hd_pack_mirror(r->pk, r->w0);
}

/* Tokens of the record at hand: of the address (0), of the value, choice or extra token (1). What
 * was not as guessed is the guess now. */
static inline hd_tok hd_rawlog_run_token(const struct hd_rawlog_run *r, unsigned i)
{
    uint32_t count = r->count - (r->is->quick != HD_QUICK_MORE);
    return r->is->parts & (i ? HD_PART_VAL : HD_PART_ADDR)
               ? hd_pack_tok(r->slot, i, hd_pack_moving(count))
               : HD_TOK_NONE;
}

/* The record at hand as hd_rawlog_next gives it. */
static inline void hd_rawlog_run_record(const struct hd_rawlog_run *r, struct hd_raw *rec)
{
    const struct hd_raw_shape *is = r->is;
    hd_raw_clear(rec);
    rec->kind = (enum hd_log_kind)is->kind;
    rec->aux = is->aux;
    rec->slot = (uint32_t)(r->slot - r->pk->slots);
    rec->site = is->site;
    rec->addr = hd_rawlog_run_token(r, 0);
    rec->val = hd_rawlog_run_token(r, 1);
    rec->w[0] = is->quick == HD_QUICK_BRANCH ? rec->val : r->w0;
    if (is->quick == HD_QUICK_WORD)
        rec->w[1] = r->w1;
    if (is->quick == HD_QUICK_MORE)
        rec->w[1] = rec->val;
    if (is->quick == HD_QUICK_WIDE) {
        rec->len = hd_shape_wide(is->shape);
        rec->data = hd_rawlog_run_bytes(r);
    }
}

#endif
