/* One quick record of a log, for walks over many of them: a plain or atomic read or write
 * of up to 8 bytes, or a branch, in a slot that followed the last one's before. */
#ifndef HD_RECORDING_RAWLOG_QUICK_H
#define HD_RECORDING_RAWLOG_QUICK_H

#include "log/rt_unpack.h"
#include "recording/rawlog.h"

#define HD_RAWLOG_STRETCH                                                                          \
    1024 /* records to go over at most, before the walk looks at the clock                         \
          */

/* How many quick records may be taken, one after the other. */
static inline uint64_t hd_rawlog_may_pass(const struct hd_rawlog *log)
{
    if (log->inherits || log->broken)
        return 0;
    uint64_t left = !log->limit                ? HD_RAWLOG_STRETCH
                    : log->limit > log->events ? log->limit - log->events
                                               : 0;
    return left < HD_RAWLOG_STRETCH ? left : HD_RAWLOG_STRETCH;
}

/* Sets what such a record has: kind, aux, slot, site, w[0], w[1], addr and val. False: the next
 * record is none, and nothing has changed. */
static inline __attribute__((always_inline)) bool hd_rawlog_quick(struct hd_rawlog *log,
                                                                  struct hd_raw *rec)
{
    const uint8_t *q = log->chunk + log->pos;
    unsigned flag = *q++, code = flag & 3;
    if (log->pos >= log->chunk_len || (code != 1 && code != 2))
        return false;
    struct hd_pack *pk = log->in.pack;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev);
    uint32_t offset = prev->next[code - 1], slot = offset / (uint32_t)sizeof *prev;
    const struct hd_raw_shape *is = &log->in.shapes[slot];
    if (!is->quick || slot == 0)
        return false;
    hd_pack_follow(pk, prev, offset, code);
    rec->kind = (enum hd_log_kind)is->kind;
    rec->aux = is->aux;
    rec->slot = slot;
    rec->site = is->site;
    rec->addr = rec->val = HD_TOK_NONE;
    rec->w[1] = 0;
    hd_unpack_quick(&log->in, hd_pack_at(pk, offset), is, &q, flag, rec);
    log->pos = (size_t)(q - log->chunk);
    log->in.count++;
    log->events++;
    return true;
}

#endif
