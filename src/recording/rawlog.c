#include "recording/rawlog.h"

#include "base/alloc.h"
#include "base/log.h"
#include "log/rt_unpack_plain.h"
#include "trace/trace.h"

#include <string.h>

#define SLACK  (2 * HD_PACK_ROOM) /* zeros behind a chunk: one record may be read past its end */
#define BUFFER (HD_LOG_CHUNK + SLACK)

void hd_rawlog_init(struct hd_rawlog *log, const struct hd_rec *rec, const uint64_t *keys,
                    uint32_t n_keys)
{
    *log = (struct hd_rawlog){.rec = rec, .keys = keys, .in.n_keys = n_keys};
    log->chunk = hd_calloc(1, BUFFER);
    log->in.contents = hd_alloc(HD_LOG_CHUNK);
    log->in.shapes = hd_calloc(n_keys + (size_t)1, sizeof *log->in.shapes);
    for (uint32_t i = 1; i < n_keys; i++)
        log->in.shapes[i] = hd_unpack_shape(keys[i]);
}

void hd_rawlog_fini(struct hd_rawlog *log)
{
    hd_free(log->in.pack, sizeof *log->in.pack);
    hd_free(log->chunk, log->chunk ? BUFFER : 0);
    hd_free(log->in.contents, log->in.contents ? HD_LOG_CHUNK : 0);
    hd_free(log->in.shapes,
            log->in.shapes ? (log->in.n_keys + (size_t)1) * sizeof *log->in.shapes : 0);
    hd_u32vec_fini(&log->counts);
    *log = (struct hd_rawlog){0};
}

void hd_rawlog_rewind(struct hd_rawlog *log)
{
    hd_free(log->in.pack, sizeof *log->in.pack);
    log->in.pack =
        hd_calloc(1, sizeof *log->in.pack); /* pages that no caller needs stay untouched */
    for (uint32_t i = 1; i < log->in.n_keys; i++) {
        log->in.pack->slots[i].key = log->keys[i];
        memcpy(log->in.pack->slots[i].reader, &log->in.shapes[i], sizeof *log->in.shapes);
    }
    log->block = log->pos = log->chunk_len = log->before = 0;
    log->events = log->in_rounds = 0;
    log->counts.len = 0;
    log->thread = log->in.count = 0;
    log->broken = log->last = false;
    log->level = 0;
    log->inherits = log->forks[0] != 0;
}

static void switch_to(struct hd_rawlog *log, uint32_t thread)
{
    uint32_t most = thread > log->thread ? thread : log->thread;
    while (log->counts.len <= most)
        hd_u32vec_push(&log->counts, 0);
    log->counts.data[log->thread] = log->in.count;
    log->in.count = log->counts.data[thread];
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
        hd_rec_was_read(log->rec, b, &log->mapped_from);
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
    for (uint32_t i = 1; i < log->in.n_keys && !rec->slot; i++)
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

/* Any record. */
static bool next_any(struct hd_rawlog *log, struct hd_raw *rec)
{
    hd_raw_clear(rec);
    while (log->pos >= log->chunk_len || log->chunk[log->pos] == 0)
        if (!next_chunk(log))
            return !log->broken && get_pending(log, rec);
    /* Zeros at the end of a chunk may not be in the file (hd_ring_used): contents may reach as far
     * as the buffer does, and all of it behind the chunk is zero. */
    const uint8_t *q = log->chunk + log->pos, *end = log->chunk + BUFFER - HD_PACK_ROOM;
    unsigned flag = *q++;
    if (!hd_unpack_next(&log->in, flag, &q, end, rec) || !sound(rec)) {
        HD_DEBUG_LINE(RECORDING, "no record at byte %zu of chunk %zu (first byte %u, kind %u)",
                      log->pos, log->block, flag, (unsigned)rec->kind);
        log->broken = true;
        return false;
    }
    log->pos = (size_t)(q - log->chunk);
    rec->inherited = log->inherits;
    if (rec->kind <= HD_LOG_LAST_EVENT) {
        log->in.count++;
        log->events++;
        return true;
    }
    look_for_fork(log, rec);
    if (rec->kind == HD_LOG_SWITCH)
        switch_to(log, (uint32_t)rec->w[0]);
    return true;
}

bool hd_rawlog_next(struct hd_rawlog *log, struct hd_raw *rec)
{
    if (log->broken || (log->limit && log->events == log->limit))
        return false;
    return next_any(log, rec);
}
