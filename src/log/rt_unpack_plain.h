/* Reading plain records and ranges: the other side of rt_pack_plain.h. */
#ifndef HEDDLE_RT_UNPACK_PLAIN_H
#define HEDDLE_RT_UNPACK_PLAIN_H

#include "log/rt_unpack.h"

#define HD_UNPACK_WITH_DATA 255

static const uint8_t hd_unpack_words[HD_LOG_KIND_COUNT] = {
#define HD_KIND_WORDS(name, words, what) words,
    HD_LOG_KINDS(HD_KIND_WORDS)
#undef HD_KIND_WORDS
};

static inline void hd_unpack_mirrored(struct hd_pack *pk, uint64_t addr, uint8_t *to, size_t n)
{
    for (size_t i = 0, part; i < n; i += part) {
        part = hd_pack_beside(addr + i, n - i);
        __builtin_memcpy(to + i, hd_pack_mirror(pk, addr + i), part);
    }
}

static inline bool hd_unpack_range(struct hd_raw_reader *u, const uint8_t **q, const uint8_t *end,
                                   struct hd_raw *rec)
{
    struct hd_pack *pk = u->pack;
    rec->w[0] = pk->range + hd_pack_unzigzag(hd_unpack_varint(q));
    rec->len = hd_unpack_varint(q);
    unsigned code = *(*q)++;
    rec->data = u->contents;
    if (rec->len > HD_LOG_CHUNK || *q > end)
        return false;
    if (code <= 1) {
        hd_unpack_mirrored(pk, code ? pk->range : rec->w[0], u->contents, rec->len);
    } else if (code == 2) {
        __builtin_memset(u->contents, *(*q)++, rec->len);
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

static inline bool hd_unpack_plain(struct hd_raw_reader *u, unsigned flag, const uint8_t **q,
                                   const uint8_t *end, struct hd_raw *rec)
{
    rec->kind = (enum hd_log_kind)(flag >> 2);
    if (rec->kind >= HD_LOG_KIND_COUNT)
        return false;
    rec->aux = *(*q)++;
    uint64_t slot = hd_unpack_varint(q);
    if (slot >= u->n_keys)
        return false;
    rec->slot = (uint32_t)slot;
    rec->site = u->pack->slots[slot].key >> 16;
    if (!slot)
        rec->site = 0;
    if (rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE)
        return hd_unpack_range(u, q, end, rec);
    if (hd_unpack_words[rec->kind] != HD_UNPACK_WITH_DATA) {
        for (unsigned i = 0; i < hd_unpack_words[rec->kind]; i++)
            rec->w[i] = hd_unpack_varint(q);
        return true;
    }
    rec->w[0] = hd_unpack_varint(q);
    rec->len = hd_unpack_varint(q);
    rec->data = *q;
    if (*q > end || (size_t)(end - *q) < rec->len)
        return false;
    *q += rec->len;
    return true;
}

/* The record whose first byte is `flag`, from *q on, which moves behind it. Contents lie before
 * `end`. False: it cannot be. */
static inline bool hd_unpack_next(struct hd_raw_reader *u, unsigned flag, const uint8_t **q,
                                  const uint8_t *end, struct hd_raw *rec)
{
    bool ok = flag & 3 ? hd_unpack_packed(u, flag, q, rec) : hd_unpack_plain(u, flag, q, end, rec);
    return ok && *q <= end;
}

#endif
