#include "recording/rawlog.h"

#include "trace/trace.h"

#include "base/alloc.h"
#include "log/rt_pack.h"

#include <string.h>

#define WITH_DATA 255
#define SLACK     (2 * HD_PACK_ROOM) /* zeros behind a chunk: one record may be read past its end */
#define BUFFER    (HD_LOG_CHUNK + SLACK)

static const uint8_t kind_words[HD_LOG_KIND_COUNT] = {
#define HD_KIND_WORDS(name, words, what) words,
    HD_LOG_KINDS(HD_KIND_WORDS)
#undef HD_KIND_WORDS
};

/* What a key says of the records in its slot. */
static struct hd_raw_shape shape_of(uint64_t key)
{
    unsigned shape = hd_pack_shape(key), parts = hd_shape_parts(shape);
    bool memory = (parts & HD_PART_MEMORY) != 0;
    unsigned bits = memory ? 8 * hd_shape_size(shape) : 64;
    unsigned kind = hd_shape_kind(shape);
    return (struct hd_raw_shape){
        .site = kind == HD_LOG_MORE ? 0 : key >> 16,
        .mask = UINT64_MAX >> (64 - bits),
        .size = (uint8_t)(bits / 8),
        .shape = (uint16_t)shape,
        .kind = (uint8_t)kind,
        .parts = (uint8_t)parts,
        .quick = (memory && !(parts & HD_PART_NEW)) || kind == HD_LOG_BRANCH,
        .aux = (memory ? hd_shape_size(shape) : 0) | (shape & HD_SHAPE_SITE ? HD_LOG_SITE : 0) |
               (shape & HD_SHAPE_GUESS ? HD_LOG_PENDING : 0) |
               (shape & HD_SHAPE_JOINED ? HD_LOG_JOINED : 0) |
               (shape & HD_SHAPE_TRY ? HD_LOG_TRY : 0),
    };
}

void hd_rawlog_init(struct hd_rawlog *log, const struct hd_rec *rec, const uint64_t *keys,
                    uint32_t n_keys)
{
    *log = (struct hd_rawlog){.rec = rec, .keys = keys, .n_keys = n_keys};
    log->chunk = hd_calloc(1, BUFFER);
    log->contents = hd_alloc(HD_LOG_CHUNK);
    log->shapes = hd_calloc(n_keys + (size_t)1, sizeof *log->shapes);
    for (uint32_t i = 1; i < n_keys; i++)
        log->shapes[i] = shape_of(keys[i]);
}

void hd_rawlog_fini(struct hd_rawlog *log)
{
    hd_free(log->pack, sizeof *log->pack);
    hd_free(log->chunk, log->chunk ? BUFFER : 0);
    hd_free(log->contents, log->contents ? HD_LOG_CHUNK : 0);
    hd_free(log->shapes, log->shapes ? (log->n_keys + (size_t)1) * sizeof *log->shapes : 0);
    hd_u32vec_fini(&log->counts);
    *log = (struct hd_rawlog){0};
}

void hd_rawlog_rewind(struct hd_rawlog *log)
{
    hd_free(log->pack, sizeof *log->pack);
    log->pack = hd_calloc(1, sizeof *log->pack); /* pages that nobody needs stay untouched */
    for (uint32_t i = 1; i < log->n_keys; i++)
        log->pack->slots[i].key = log->keys[i];
    log->block = log->pos = log->chunk_len = log->before = 0;
    log->events = 0;
    log->counts.len = 0;
    log->thread = log->count = 0;
    log->broken = log->last = false;
    log->level = 0;
    log->inherits = log->forks[0] != 0;
}

static void switch_to(struct hd_rawlog *log, uint32_t thread)
{
    uint32_t most = thread > log->thread ? thread : log->thread;
    while (log->counts.len <= most)
        hd_u32vec_push(&log->counts, 0);
    log->counts.data[log->thread] = log->count;
    log->count = log->counts.data[thread];
    log->thread = thread;
}

/* Blocks of ancestors have a letter for their level; those of the process itself come last. */
static bool is_at_level(const struct hd_rawlog *log, const struct hd_rec_block *b)
{
    bool own = log->level == HD_RAW_LEVELS || !log->forks[log->level];
    return b->type == (own ? (unsigned)HD_REC_LOG : HD_REC_ANCESTOR + log->level);
}

static bool next_chunk(struct hd_rawlog *log)
{
    while (log->block < log->rec->blocks.len) {
        const struct hd_rec_block *b = hd_vec_at(&log->rec->blocks, log->block++);
        struct hd_err err;
        if (!is_at_level(log, b))
            continue;
        log->broken = b->raw > HD_LOG_CHUNK;
        if (log->broken)
            return false;
        if (log->filled < b->raw)
            log->filled = b->raw;
        log->broken = hd_rec_unpack(log->rec, b, log->chunk, &err) != HD_OK;
        if (log->broken)
            return false;
        /* What was never filled is zero, and stays without memory. */
        memset(log->chunk + b->raw, 0, log->filled - b->raw);
        log->before += log->chunk_len;
        log->pos = 0;
        log->chunk_len = log->filled = b->raw;
        return true;
    }
    return false;
}

uint64_t hd_rawlog_bytes(const struct hd_rawlog *log)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < log->rec->blocks.len; i++) {
        const struct hd_rec_block *b = hd_vec_at(&log->rec->blocks, i);
        if (b->type == HD_REC_LOG ||
            (b->type >= HD_REC_ANCESTOR && b->type < HD_REC_ANCESTOR + HD_RAW_LEVELS))
            sum += b->raw;
    }
    return sum;
}

/* Varints are at most 10 bytes here: the slack behind the chunk ends them. */
static uint64_t varint(const uint8_t **q)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = *(*q)++;
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    return v;
}

static inline __attribute__((always_inline)) uint64_t bytes(const uint8_t **q, unsigned n)
{
    uint64_t v = hd_pack_peek(*q, n);
    *q += n;
    return v;
}

static inline struct hd_pack_slot *get_slot(struct hd_rawlog *log, const uint8_t **q, unsigned code)
{
    struct hd_pack *pk = log->pack;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev);
    uint64_t slot = code == 3 ? varint(q) : prev->next[code - 1] / sizeof *prev;
    if (slot >= log->n_keys || (code != 3 && slot == 0))
        return NULL;
    if (slot == 0) {
        pk->slots[0].key = bytes(q, 8);
        log->shapes[0] = shape_of(pk->slots[0].key);
    }
    hd_pack_follow(pk, prev, hd_pack_offset((uint32_t)slot), code);
    return &pk->slots[slot];
}

static inline __attribute__((always_inline)) uint64_t
get_word0(struct hd_pack *pk, struct hd_pack_slot *s, const uint8_t **q, unsigned code)
{
    uint64_t w = hd_pack_next0(s);
    if (code == 0) {
        s->word0 = w;
        return w;
    }
    if (code == 1) {
        w = hd_pack_base(pk, s);
    } else if (code == 2) {
        w = s->word0 + (uint64_t)(int64_t)(int16_t)bytes(q, 2);
    } else if (code == 3) {
        int32_t d = (int32_t)bytes(q, 4);
        w = d == INT32_MIN ? bytes(q, 8) : s->word0 + (uint64_t)(int64_t)d;
    }
    hd_pack_word0(pk, s, w);
    return w;
}

static inline __attribute__((always_inline)) uint64_t
get_word1(struct hd_pack_slot *s, const uint8_t **q, unsigned flag, const struct hd_raw_shape *is,
          uint64_t guess, uint64_t w0, uint64_t read)
{
    uint64_t w = s->word1;
    switch (flag >> 4 & 3) {
    case 0:
        return guess;
    case 1:
        if (!(flag & 128))
            return w;
        w = read;
        break;
    case 2:
        w = guess +
            (uint64_t)(flag & 128 ? (int64_t)(int32_t)bytes(q, 4) : (int64_t)(int16_t)bytes(q, 2));
        break;
    default:
        if (flag & 128) {
            w = w0 + (uint64_t)(int64_t)(int32_t)bytes(q, 4);
        } else {
            w = hd_pack_peek(*q, 8);
            *q += is->size;
        }
    }
    return s->word1 = w & is->mask;
}

static __attribute__((noinline)) void get_tokens(struct hd_pack_slot *s, const uint8_t **q,
                                                 unsigned flag, uint32_t count, struct hd_raw *rec,
                                                 unsigned parts)
{
    unsigned missed = flag & 64 ? *(*q)++ : 0;
    uint64_t moving = hd_pack_moving(count);
    hd_tok tok[2];
    for (unsigned i = 0; i < 2; i++, missed >>= 2) {
        tok[i] = hd_pack_tok(s, i, moving);
        if (!(missed & 3))
            continue;
        uint32_t lo = hd_tok_lo(tok[i]), not_hi = (uint32_t)tok[i];
        if (missed & 1)
            lo = count - (uint32_t)varint(q);
        if (missed & 2)
            not_hi = (uint32_t)varint(q) - count;
        tok[i] = (hd_tok)lo << 32 | not_hi;
        hd_pack_tok_set(s, i, moving, tok[i], missed & 3);
    }
    if (parts & HD_PART_ADDR)
        rec->addr = tok[0];
    if (parts & HD_PART_VAL)
        rec->val = tok[1];
}

static void get_memory(struct hd_pack *pk, struct hd_pack_slot *s, const uint8_t **q, unsigned flag,
                       const struct hd_raw_shape *is, struct hd_raw *rec)
{
    unsigned size = hd_shape_size(is->shape);
    uint8_t *mirror = hd_pack_mirror(pk, rec->w[0]);
    rec->w[1] = get_word1(s, q, flag, is, hd_pack_peek(mirror, size), rec->w[0], pk->value);
    hd_pack_poke(mirror, size, rec->w[1]);
    hd_pack_read(pk, is->shape, rec->w[0], rec->w[1]);
}

/* See hd_put_wide. */
static bool get_wide(struct hd_rawlog *log, const uint8_t **q, unsigned flag, unsigned shape,
                     struct hd_raw *rec)
{
    uint8_t *mirror = hd_pack_mirror(log->pack, rec->w[0]);
    rec->len = hd_shape_wide(shape);
    rec->data = log->contents;
    if ((flag >> 4 & 3) == 1) {
        memcpy(log->contents, hd_pack_mirror(log->pack, log->pack->wide), rec->len);
        memcpy(mirror, log->contents, rec->len);
        return true;
    }
    if (rec->kind == HD_LOG_RANGE_READ)
        log->pack->wide = rec->w[0];
    for (size_t i = 0; flag >> 4 & 3 && i < rec->len; i += 16) {
        unsigned lengths[2] = {**q & 15, **q >> 4};
        ++*q;
        for (unsigned k = 0; k < 2; k++) {
            uint64_t x = 0;
            if (lengths[k] > 8)
                return false;
            memcpy(&x, *q, lengths[k]);
            *q += lengths[k];
            uint8_t *at = mirror + i + 8 * (size_t)k;
            hd_pack_poke(at, 8, hd_pack_peek(at, 8) ^ x);
        }
    }
    memcpy(log->contents, mirror, rec->len);
    return true;
}

/* A plain or atomic read or write of 1 to 8 bytes, or a branch: nearly all of a log. Memory beside
 * what is asked for may be read and written back: mirror and chunk have room behind their end. */
static inline __attribute__((always_inline)) void
get_quick(struct hd_rawlog *log, struct hd_pack_slot *s, const struct hd_raw_shape *is,
          const uint8_t **q, unsigned flag, struct hd_raw *rec)
{
    struct hd_pack *pk = log->pack;
    unsigned parts = is->parts;
    if (parts & HD_PART_MEMORY) {
        uint64_t w0 = get_word0(pk, s, q, flag >> 2 & 3), mask = is->mask;
        uint8_t *mirror = hd_pack_mirror(pk, w0);
        uint64_t there = hd_pack_peek(mirror, 8), w1 = there & mask;
        if (flag >> 4 & 3) {
            w1 = get_word1(s, q, flag, is, w1, w0, pk->value);
            hd_pack_poke(mirror, 8, (there & ~mask) | w1);
        }
        rec->w[0] = w0;
        rec->w[1] = w1;
        hd_pack_read(pk, is->shape, w0, w1);
    }
    if (flag & 64) {
        get_tokens(s, q, flag, log->count, rec, parts);
    } else {
        uint64_t moving = hd_pack_moving(log->count);
        if (parts & HD_PART_ADDR)
            rec->addr = hd_pack_tok(s, 0, moving);
        if (parts & HD_PART_VAL)
            rec->val = hd_pack_tok(s, 1, moving);
    }
    if (!(parts & HD_PART_MEMORY))
        rec->w[0] = rec->val;
}

static bool get_packed(struct hd_rawlog *log, unsigned flag, const uint8_t **q, struct hd_raw *rec)
{
    struct hd_pack *pk = log->pack;
    struct hd_pack_slot *s = get_slot(log, q, flag & 3);
    if (!s)
        return false;
    rec->slot = (uint32_t)(s - pk->slots);
    const struct hd_raw_shape *is = &log->shapes[rec->slot];
    unsigned shape = is->shape, parts = is->parts;
    rec->kind = (enum hd_log_kind)is->kind;
    rec->site = is->site;
    rec->aux = is->aux;
    if (is->quick) {
        get_quick(log, s, is, q, flag, rec);
        return true;
    }
    if (!parts || (parts & HD_PART_WIDE && hd_shape_wide(shape) > 64))
        return false;
    if (parts & HD_PART_WORD0)
        rec->w[0] = get_word0(pk, s, q, flag >> 2 & 3);
    if (parts & HD_PART_MEMORY)
        get_memory(pk, s, q, flag, is, rec);
    else if (parts & HD_PART_WIDE && !get_wide(log, q, flag, shape, rec))
        return false;
    else if (parts & HD_PART_WORD1)
        rec->w[1] = get_word1(s, q, flag, is, s->word1, rec->w[0], pk->value);
    if (parts & (HD_PART_ADDR | HD_PART_VAL))
        get_tokens(s, q, flag, log->count, rec, parts);
    if (parts & HD_PART_NEW) {
        rec->w[2] = (rec->w[1] + hd_pack_unzigzag(varint(q))) & is->mask;
        hd_pack_poke(hd_pack_mirror(pk, rec->w[0]), hd_shape_size(shape), rec->w[2]);
    }
    if (rec->kind == HD_LOG_MORE)
        rec->w[1] = rec->val;
    return true;
}

static void mirrored(struct hd_pack *pk, uint64_t addr, uint8_t *to, size_t n)
{
    for (size_t i = 0, part; i < n; i += part) {
        part = hd_pack_beside(addr + i, n - i);
        memcpy(to + i, hd_pack_mirror(pk, addr + i), part);
    }
}

static bool get_range(struct hd_rawlog *log, const uint8_t **q, const uint8_t *end,
                      struct hd_raw *rec)
{
    struct hd_pack *pk = log->pack;
    rec->w[0] = pk->range + hd_pack_unzigzag(varint(q));
    rec->len = varint(q);
    unsigned code = *(*q)++;
    rec->data = log->contents;
    if (rec->len > HD_LOG_CHUNK || *q > end)
        return false;
    if (code <= 1) {
        mirrored(pk, code ? pk->range : rec->w[0], log->contents, rec->len);
    } else if (code == 2) {
        memset(log->contents, *(*q)++, rec->len);
    } else {
        if ((size_t)(end - *q) < rec->len)
            return false;
        rec->data = *q;
        *q += rec->len;
    }
    if (code)
        hd_pack_keep(pk, rec->w[0], rec->data, rec->len);
    pk->range = rec->w[0];
    return true;
}

static bool get_plain(struct hd_rawlog *log, unsigned flag, const uint8_t **q, const uint8_t *end,
                      struct hd_raw *rec)
{
    rec->kind = (enum hd_log_kind)(flag >> 2);
    if (rec->kind >= HD_LOG_KIND_COUNT)
        return false;
    rec->aux = *(*q)++;
    uint64_t slot = varint(q);
    if (slot >= log->n_keys)
        return false;
    rec->slot = (uint32_t)slot;
    rec->site = log->pack->slots[slot].key >> 16;
    if (!slot)
        rec->site = 0;
    if (rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE)
        return get_range(log, q, end, rec);
    if (kind_words[rec->kind] != WITH_DATA) {
        for (unsigned i = 0; i < kind_words[rec->kind]; i++)
            rec->w[i] = varint(q);
        return true;
    }
    rec->w[0] = varint(q);
    rec->len = varint(q);
    rec->data = *q;
    if (*q > end || (size_t)(end - *q) < rec->len)
        return false;
    *q += rec->len;
    return true;
}

static bool sound(const struct hd_raw *rec)
{
    if (rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RMW) {
        unsigned size = rec->aux & HD_LOG_SIZE;
        return size >= 1 && size <= 8;
    }
    return rec->kind != HD_LOG_SWITCH || rec->w[0] < HD_MAX_THREADS;
}

/* The write that the program did not live to finish. */
static bool get_pending(struct hd_rawlog *log, struct hd_raw *rec)
{
    const struct hd_log_pending *p = &log->pending;
    if (log->last || !p->len || log->limit || p->len > HD_LOG_CHUNK)
        return false;
    log->last = true;
    bool range = p->kind == HD_LOG_RANGE_WRITE;
    rec->kind = range ? HD_LOG_RANGE_WRITE : HD_LOG_WRITE;
    rec->aux = HD_LOG_PENDING | (range ? 0 : (unsigned)p->len & HD_LOG_SIZE);
    rec->site = p->pc;
    for (uint32_t i = 1; i < log->n_keys && !rec->slot; i++)
        rec->slot = log->keys[i] >> 16 == p->pc ? i : 0;
    rec->w[0] = p->addr;
    rec->len = range ? p->len : 0;
    return sound(rec);
}

/* The ancestor forks: the rest of its log is not ours. */
static void look_for_fork(struct hd_rawlog *log, const struct hd_raw *rec)
{
    unsigned child = log->level < HD_RAW_LEVELS ? log->forks[log->level] : 0;
    if (rec->kind != HD_LOG_NOTE || rec->w[0] != HD_NOTE_FORKED || rec->len != 2 || !child)
        return;
    if ((unsigned)(rec->data[0] - '0') * 10 + (unsigned)(rec->data[1] - '0') != child)
        return;
    log->level++;
    log->inherits = log->level < HD_RAW_LEVELS && log->forks[log->level];
    log->pos = log->chunk_len;
}

/* Field by field: what compilers make of a whole struct of zeros takes a fifth of the time. */
static void clear(struct hd_raw *rec)
{
    rec->inherited = false;
    rec->kind = 0;
    rec->aux = rec->slot = 0;
    rec->site = rec->w[0] = rec->w[1] = rec->w[2] = rec->w[3] = 0;
    rec->data = NULL;
    rec->len = 0;
    rec->addr = rec->val = HD_TOK_NONE;
}

/* Any record. */
static __attribute__((noinline)) bool next_any(struct hd_rawlog *log, struct hd_raw *rec)
{
    clear(rec);
    while (log->pos >= log->chunk_len || log->chunk[log->pos] == 0)
        if (!next_chunk(log))
            return !log->broken && get_pending(log, rec);
    /* Zeros at the end of the log may not be in the file. */
    const uint8_t *q = log->chunk + log->pos, *end = log->chunk + BUFFER - HD_PACK_ROOM;
    unsigned flag = *q++;
    bool ok = flag & 3 ? get_packed(log, flag, &q, rec) : get_plain(log, flag, &q, end, rec);
    if (!ok || q > end || !sound(rec)) {
        log->broken = true;
        return false;
    }
    log->pos = (size_t)(q - log->chunk);
    rec->inherited = log->inherits;
    if (rec->kind <= HD_LOG_LAST_EVENT) {
        log->count++;
        log->events++;
        return true;
    }
    look_for_fork(log, rec);
    if (rec->kind == HD_LOG_SWITCH)
        switch_to(log, (uint32_t)rec->w[0]);
    return true;
}

/* The record, if it is a quick one in a slot that followed the last one's before. */
static inline bool next_quick(struct hd_rawlog *log, struct hd_raw *rec)
{
    const uint8_t *q = log->chunk + log->pos;
    unsigned flag = *q++, code = flag & 3;
    if (log->pos >= log->chunk_len || (code != 1 && code != 2))
        return false;
    struct hd_pack *pk = log->pack;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev);
    uint32_t offset = prev->next[code - 1], slot = offset / (uint32_t)sizeof *prev;
    const struct hd_raw_shape *is = &log->shapes[slot];
    if (!is->quick || slot == 0)
        return false;
    hd_pack_follow(pk, prev, offset, code);
    clear(rec);
    rec->kind = (enum hd_log_kind)is->kind;
    rec->aux = is->aux;
    rec->slot = slot;
    rec->site = is->site;
    rec->inherited = log->inherits;
    get_quick(log, hd_pack_at(pk, offset), is, &q, flag, rec);
    log->pos = (size_t)(q - log->chunk);
    log->count++;
    log->events++;
    return true;
}

bool hd_rawlog_next(struct hd_rawlog *log, struct hd_raw *rec)
{
    if (log->broken || (log->limit && log->events == log->limit))
        return false;
    return next_quick(log, rec) || next_any(log, rec);
}
