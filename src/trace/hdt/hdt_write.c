#include "trace/hdt/hdt.h"

#include "base/alloc.h"
#include "trace/hdt/hdt_encode.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

/* 128 Ki events pack to some 100 KiB: a torn file loses little, and zstd has enough to look at. */
#define CHUNK_EVENTS (1u << 17)
#define ZSTD_LEVEL   3
#define META_BYTES   (16u << 20) /* of a META chunk; longer contents go into several */

struct writer {
    FILE *out;
    uint32_t chunk_events;
    struct hd_err *err;
    uint32_t sequence;
    ZSTD_CCtx *zstd;
    struct hd_hdt_buf raw, packed;
};

static enum hd_status put_bytes(struct writer *w, const void *data, size_t len)
{
    if (fwrite(data, 1, len, w->out) != len)
        return hd_err_set(w->err, HD_ERR_IO, "cannot write the trace: %s", strerror(errno));
    return HD_OK;
}

/* What only a later version has is written as that version, so that older readers keep reading the
 * rest. */
static unsigned version_of(const struct hd_trace *t)
{
    unsigned version = 1;
    for (size_t e = 0; e < t->n_events && version < HD_HDT_VERSION; e++) {
        if (t->flags[e] & HD_F_ORDER || t->op[e] == HD_OP_FENCE)
            version = HD_HDT_ORDERS;
        if (hd_trace_excludes_only(t, (hd_eid)e))
            version = HD_HDT_EXCLUSIONS;
    }
    return version;
}

static enum hd_status put_header(struct writer *w, const struct hd_trace *t)
{
    uint8_t h[HD_HDT_HEADER_BYTES];
    memcpy(h + HD_HDT_AT_MAGIC, HD_HDT_MAGIC, HD_HDT_MAGIC_LEN);
    hd_hdt_put16(h + HD_HDT_AT_VERSION, version_of(t));
    hd_hdt_put16(h + HD_HDT_AT_HEADER_SIZE, HD_HDT_HEADER_BYTES);
    hd_hdt_put32(h + HD_HDT_AT_FLAGS,
                 t->control == HD_CONTROL_BRANCHES ? HD_HDT_HEADER_BRANCHES : 0);
    hd_hdt_put32(h + HD_HDT_AT_HEADER_CRC, (uint32_t)crc32(0, h, HD_HDT_AT_HEADER_CRC));
    return put_bytes(w, h, sizeof h);
}

static enum hd_status put_chunk(struct writer *w, unsigned type, unsigned flags,
                                const struct hd_hdt_buf *stored, size_t raw_len, uint32_t events)
{
    uint8_t h[HD_HDT_CHUNK_BYTES];
    hd_hdt_put16(h + HD_HDT_AT_TYPE, type);
    hd_hdt_put16(h + HD_HDT_AT_CHUNK_FLAGS, flags);
    hd_hdt_put32(h + HD_HDT_AT_SEQUENCE, w->sequence++);
    hd_hdt_put32(h + HD_HDT_AT_STORED_BYTES, (uint32_t)stored->len);
    hd_hdt_put32(h + HD_HDT_AT_RAW_BYTES, (uint32_t)raw_len);
    hd_hdt_put32(h + HD_HDT_AT_EVENTS, events);
    hd_hdt_put32(h + HD_HDT_AT_PAYLOAD_CRC, (uint32_t)crc32_z(0, stored->data, stored->len));
    hd_hdt_put32(h + HD_HDT_AT_CHUNK_CRC, (uint32_t)crc32(0, h, HD_HDT_AT_CHUNK_CRC));
    enum hd_status status = put_bytes(w, h, sizeof h);
    return status == HD_OK ? put_bytes(w, stored->data, stored->len) : status;
}

/* A payload that packs better than the format allows gets a skippable zstd frame behind it. */
static void pad_to_ratio(struct hd_hdt_buf *packed, size_t raw_len)
{
    size_t least = raw_len > HD_HDT_RATIO_BASE
                       ? (raw_len - HD_HDT_RATIO_BASE + HD_HDT_RATIO - 1) / HD_HDT_RATIO
                       : 0;
    if (packed->len >= least)
        return;
    size_t fill = least > packed->len + 8 ? least - packed->len - 8 : 0;
    uint8_t *p = hd_hdt_buf_more(packed, 8 + fill);
    hd_hdt_put32(p, ZSTD_MAGIC_SKIPPABLE_START);
    hd_hdt_put32(p + 4, (uint32_t)fill);
    memset(p + 8, 0, fill);
}

/* w->raw as a chunk, packed if that helps. */
static enum hd_status put_packed(struct writer *w, unsigned type, unsigned flags, uint32_t events)
{
    size_t bound = ZSTD_compressBound(w->raw.len);
    w->packed.len = 0;
    uint8_t *to = hd_hdt_buf_more(&w->packed, bound);
    size_t got = ZSTD_compressCCtx(w->zstd, to, bound, w->raw.data, w->raw.len, ZSTD_LEVEL);
    if (ZSTD_isError(got))
        return hd_err_set(w->err, HD_ERR_INTERNAL, "zstd: %s", ZSTD_getErrorName(got));
    w->packed.len = got;
    if (got >= w->raw.len)
        return put_chunk(w, type, flags, &w->raw, w->raw.len, events);
    pad_to_ratio(&w->packed, w->raw.len);
    return put_chunk(w, type, flags | HD_HDT_ZSTD, &w->packed, w->raw.len, events);
}

static enum hd_status put_data(struct writer *w, struct hd_hdt_encoder *enc)
{
    uint32_t events = hd_hdt_encoder_take(enc, &w->raw);
    if (w->raw.len > HD_HDT_MAX_RAW)
        return hd_err_set(w->err, HD_ERR_LIMIT,
                          "a name or dependence set is too long for the .hdt format");
    return put_packed(w, HD_HDT_CHUNK_DATA, 0, events);
}

static enum hd_status put_meta(struct writer *w, const struct hd_meta *m)
{
    size_t key = strlen(m->key), at = 0;
    enum hd_status status = HD_OK;
    do {
        size_t part = m->len - at < META_BYTES ? m->len - at : META_BYTES;
        w->raw.len = 0;
        hd_hdt_buf_varint(&w->raw, key);
        memcpy(hd_hdt_buf_more(&w->raw, key), m->key, key);
        if (part)
            memcpy(hd_hdt_buf_more(&w->raw, part), m->data + at, part);
        status = put_packed(w, HD_HDT_CHUNK_META, HD_HDT_OPTIONAL, 0);
        at += part;
    } while (status == HD_OK && at < m->len);
    return status;
}

static enum hd_status put_end(struct writer *w, const struct hd_trace *t)
{
    w->raw.len = 0;
    hd_hdt_put64(hd_hdt_buf_more(&w->raw, HD_HDT_END_BYTES), t->n_events);
    return put_chunk(w, HD_HDT_CHUNK_END, 0, &w->raw, HD_HDT_END_BYTES, 0);
}

static enum hd_status put_all(struct writer *w, const struct hd_trace *t,
                              struct hd_hdt_encoder *enc)
{
    enum hd_status status = put_header(w, t);
    for (size_t from = 0; status == HD_OK && from < t->n_events; from += w->chunk_events) {
        size_t left = t->n_events - from;
        size_t to = from + (left < w->chunk_events ? left : w->chunk_events);
        while (status == HD_OK && !hd_hdt_encoder_introduce(enc, (hd_eid)from, (hd_eid)to))
            status = put_data(w, enc);
        hd_hdt_encoder_events(enc, (hd_eid)from, (hd_eid)to);
        if (status == HD_OK)
            status = put_data(w, enc);
    }
    while (status == HD_OK && hd_hdt_encoder_leftover(enc))
        status = put_data(w, enc);
    for (size_t i = 0; status == HD_OK && i < t->n_meta; i++)
        status = put_meta(w, &t->meta[i]);
    if (status == HD_OK)
        status = put_end(w, t);
    if (status == HD_OK && fflush(w->out))
        status = hd_err_set(w->err, HD_ERR_IO, "cannot write the trace: %s", strerror(errno));
    return status;
}

enum hd_status hd_hdt_write(const struct hd_trace *t, FILE *out, struct hd_err *err)
{
    return hd_hdt_write_chunks(t, out, CHUNK_EVENTS, err);
}

enum hd_status hd_hdt_write_chunks(const struct hd_trace *t, FILE *out, uint32_t chunk_events,
                                   struct hd_err *err)
{
    struct writer w = {
        .out = out, .chunk_events = chunk_events, .err = err, .zstd = ZSTD_createCCtx()};
    if (!w.zstd)
        return hd_err_set(err, HD_ERR_INTERNAL, "zstd: no memory for a compressor");
    struct hd_hdt_encoder *enc = hd_hdt_encoder_new(t);
    enum hd_status status = put_all(&w, t, enc);
    hd_hdt_encoder_free(enc);
    hd_hdt_buf_fini(&w.raw);
    hd_hdt_buf_fini(&w.packed);
    ZSTD_freeCCtx(w.zstd);
    return status;
}
