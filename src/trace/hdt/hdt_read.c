#include "trace/hdt/hdt.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "trace/hdt/hdt_decode.h"

#include <stdarg.h>
#include <zlib.h>
#include <zstd.h>

struct chunk_header {
    unsigned type, flags;
    uint32_t sequence, stored, raw, events, crc;
};

struct reader {
    const uint8_t *data;
    size_t len, at; /* at: offset of the chunk at hand */
    const char *name;
    struct hd_err *err;
    struct hd_hdt_info *info;
    struct hd_hdt_decoder decoder;
    ZSTD_DCtx *zstd;
    uint8_t *raw;
    size_t raw_cap;
    bool ended;
};

bool hd_hdt_is(const void *data, size_t len)
{
    return len >= HD_HDT_MAGIC_LEN && !memcmp(data, HD_HDT_MAGIC, HD_HDT_MAGIC_LEN);
}

static enum hd_status refuse(struct reader *r, const char *why)
{
    return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0, "chunk %zu at offset %zu: %s",
                     r->info->chunks, r->at, why);
}

static enum hd_status read_header(struct reader *r, uint32_t *flags)
{
    const uint8_t *h = r->data;
    if (!hd_hdt_is(h, r->len))
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0, "not an .hdt trace");
    if (r->len < HD_HDT_HEADER_BYTES)
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0, "the file ends inside its header");
    r->info->version = hd_hdt_get16(h + HD_HDT_AT_VERSION);
    if (r->info->version < 1 || r->info->version > HD_HDT_VERSION)
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0,
                         "the file has format version %u; this heddle reads versions 1 to %u",
                         r->info->version, HD_HDT_VERSION);
    if (crc32(0, h, HD_HDT_AT_HEADER_CRC) != hd_hdt_get32(h + HD_HDT_AT_HEADER_CRC))
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0, "the checksum of the header is wrong");
    *flags = hd_hdt_get32(h + HD_HDT_AT_FLAGS);
    if (hd_hdt_get16(h + HD_HDT_AT_HEADER_SIZE) != HD_HDT_HEADER_BYTES ||
        (*flags & ~HD_HDT_HEADER_BRANCHES))
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, 0,
                         "the header has unknown fields or flags");
    r->at = HD_HDT_HEADER_BYTES;
    return HD_OK;
}

/* Reads the chunk header at r->at. False: the file is too short for it, or its checksum is wrong,
 * and *damaged is set then. */
static bool read_chunk_header(const struct reader *r, size_t at, struct chunk_header *c,
                              bool *damaged)
{
    const uint8_t *h = r->data + at;
    *damaged = false;
    if (r->len - at < HD_HDT_CHUNK_BYTES)
        return false;
    *c = (struct chunk_header){
        .type = hd_hdt_get16(h + HD_HDT_AT_TYPE),
        .flags = hd_hdt_get16(h + HD_HDT_AT_CHUNK_FLAGS),
        .sequence = hd_hdt_get32(h + HD_HDT_AT_SEQUENCE),
        .stored = hd_hdt_get32(h + HD_HDT_AT_STORED_BYTES),
        .raw = hd_hdt_get32(h + HD_HDT_AT_RAW_BYTES),
        .events = hd_hdt_get32(h + HD_HDT_AT_EVENTS),
        .crc = hd_hdt_get32(h + HD_HDT_AT_PAYLOAD_CRC),
    };
    *damaged = crc32(0, h, HD_HDT_AT_CHUNK_CRC) != hd_hdt_get32(h + HD_HDT_AT_CHUNK_CRC);
    return !*damaged;
}

static bool sizes_allowed(const struct chunk_header *c)
{
    uint64_t most = HD_HDT_RATIO_BASE + (uint64_t)HD_HDT_RATIO * c->stored;
    return c->raw <= HD_HDT_MAX_RAW && c->raw <= most && c->events <= HD_HDT_MAX_EVENTS &&
           c->events <= c->raw && ((c->flags & HD_HDT_ZSTD) || c->raw == c->stored);
}

/* Events in the whole chunks of the file, as their headers claim. The limits on sizes bound it by a
 * multiple of the length of the file, so that room for them may be made at once. */
static uint64_t claimed_events(const struct reader *r)
{
    struct chunk_header c;
    uint64_t events = 0;
    bool damaged;
    for (size_t at = r->at; read_chunk_header(r, at, &c, &damaged);) {
        at += HD_HDT_CHUNK_BYTES;
        if (c.stored > r->len - at || !sizes_allowed(&c))
            break;
        if (c.type == HD_HDT_CHUNK_DATA)
            events += c.events;
        at += c.stored;
    }
    return events;
}

static enum hd_status unpack(struct reader *r, const struct chunk_header *c, const uint8_t *stored,
                             const uint8_t **raw)
{
    *raw = stored;
    if (!(c->flags & HD_HDT_ZSTD))
        return HD_OK;
    if (r->raw_cap < c->raw) {
        hd_free(r->raw, r->raw_cap);
        r->raw_cap = c->raw;
        r->raw = hd_alloc(r->raw_cap);
    }
    if (!r->zstd && !(r->zstd = ZSTD_createDCtx()))
        return hd_err_set(r->err, HD_ERR_INTERNAL, "zstd: no memory for a decompressor");
    size_t got = ZSTD_decompressDCtx(r->zstd, r->raw, c->raw, stored, c->stored);
    if (ZSTD_isError(got) || got != c->raw)
        return refuse(r, "the payload does not unpack to its length");
    *raw = r->raw;
    return HD_OK;
}

static enum hd_status read_data(struct reader *r, const struct chunk_header *c,
                                const uint8_t *stored)
{
    const uint8_t *raw;
    if (!sizes_allowed(c))
        return refuse(r, "the sizes in its header are not allowed");
    enum hd_status status = unpack(r, c, stored, &raw);
    if (status != HD_OK)
        return status;
    if (r->decoder.b->t->n_events + c->events > HD_MAX_EVENTS)
        return hd_err_at(r->err, HD_ERR_LIMIT, r->name, 0, "more than %u events", HD_MAX_EVENTS);
    hd_builder_reserve(r->decoder.b, c->events);
    if (!hd_hdt_decode(&r->decoder, raw, c->raw, c->events))
        return refuse(r, r->decoder.fault);
    return HD_OK;
}

static enum hd_status read_end(struct reader *r, const struct chunk_header *c,
                               const uint8_t *stored)
{
    if (c->stored != HD_HDT_END_BYTES || c->raw != c->stored || c->events ||
        (c->flags & HD_HDT_ZSTD))
        return refuse(r, "a malformed end chunk");
    if (hd_hdt_get64(stored) != r->decoder.b->t->n_events)
        return refuse(r, "the end chunk counts other events than the file holds");
    r->ended = true;
    return HD_OK;
}

/* A META chunk that is well-formed is kept; any other is skipped like an unknown one. */
static enum hd_status read_meta(struct reader *r, const struct chunk_header *c,
                                const uint8_t *stored)
{
    const uint8_t *raw;
    char key[HD_HDT_MAX_KEY + 1];
    if (!sizes_allowed(c) || (c->flags & ~(HD_HDT_OPTIONAL | HD_HDT_ZSTD)))
        return HD_OK;
    enum hd_status status = unpack(r, c, stored, &raw);
    if (status != HD_OK)
        return status;
    struct hd_hdt_cur in = {raw, raw + c->raw, false};
    uint64_t len = hd_hdt_get_varint(&in);
    if (in.bad || len == 0 || len > HD_HDT_MAX_KEY || len > (size_t)(in.end - in.p) ||
        memchr(in.p, 0, len))
        return HD_OK;
    memcpy(key, in.p, len);
    key[len] = 0;
    hd_trace_meta_add(r->decoder.b->t, key, in.p + len, (size_t)(in.end - in.p) - len);
    return HD_OK;
}

static enum hd_status read_chunk(struct reader *r, const struct chunk_header *c)
{
    const uint8_t *stored = r->data + r->at + HD_HDT_CHUNK_BYTES;
    if (c->sequence != r->info->chunks)
        return refuse(r, "it is out of sequence");
    if (crc32_z(0, stored, c->stored) != c->crc)
        return refuse(r, "the checksum of its payload is wrong");
    bool optional = c->flags & HD_HDT_OPTIONAL;
    if (!optional && (c->flags & ~(HD_HDT_OPTIONAL | HD_HDT_ZSTD)))
        return refuse(r, "it has unknown flags and is not optional");
    if (c->type == HD_HDT_CHUNK_DATA && !optional)
        return read_data(r, c, stored);
    if (c->type == HD_HDT_CHUNK_END && !optional)
        return read_end(r, c, stored);
    if (!optional)
        return refuse(r, "its type is unknown and it is not optional");
    r->info->skipped++;
    return c->type == HD_HDT_CHUNK_META ? read_meta(r, c, stored) : HD_OK;
}

/* Reads chunks to the end chunk or to where the file was cut off. */
static enum hd_status read_chunks(struct reader *r)
{
    struct chunk_header c;
    bool damaged;
    while (!r->ended && read_chunk_header(r, r->at, &c, &damaged)) {
        if (c.stored > r->len - r->at - HD_HDT_CHUNK_BYTES)
            return HD_OK;
        r->info->cut = hd_stop_now();
        if (r->info->cut == HD_STOP_ASKED)
            return hd_err_set(r->err, HD_ERR_STOPPED, "interrupted");
        if (r->info->cut)
            return HD_OK;
        enum hd_status status = read_chunk(r, &c);
        if (status != HD_OK)
            return status;
        r->at += HD_HDT_CHUNK_BYTES + c.stored;
        r->info->chunks++;
    }
    if (r->ended && r->at != r->len)
        return refuse(r, "something stands behind the end chunk");
    if (!r->ended && damaged)
        return refuse(r, "the checksum of its header is wrong");
    return HD_OK;
}

static enum hd_status read_all(struct reader *r, struct hd_trace **trace)
{
    uint32_t flags = 0;
    enum hd_status status = read_header(r, &flags);
    if (status != HD_OK)
        return status;
    struct hd_builder *b = hd_builder_new();
    hd_hdt_decoder_init(&r->decoder, b);
    r->decoder.version = r->info->version;
    hd_builder_control(b, flags & HD_HDT_HEADER_BRANCHES ? HD_CONTROL_BRANCHES : HD_CONTROL_ALL,
                       NULL);
    /* Room for all of them at once, unless only the beginning will fit. */
    if (claimed_events(r) <= hd_stop_memory() / HD_BUILDER_EVENT_BYTES)
        hd_builder_reserve(b, claimed_events(r));
    status = read_chunks(r);
    r->info->truncated = !r->ended;
    r->info->used_bytes = r->at;
    bool far = r->decoder.far;
    hd_hdt_decoder_fini(&r->decoder);
    if (status != HD_OK) {
        hd_builder_free(b);
        return status;
    }
    status = hd_builder_finish(b, trace, r->err);
    if (status == HD_OK && far && !hd_hdt_decode_check_far(*trace)) {
        hd_trace_free(*trace);
        *trace = NULL;
        status = hd_err_at(r->err, HD_ERR_INPUT, r->name, 0,
                           "a dependence on something that is not an earlier read of its thread");
    }
    return status;
}

enum hd_status hd_hdt_read(const void *data, size_t len, const char *name, struct hd_trace **trace,
                           struct hd_hdt_info *info, struct hd_err *err)
{
    struct hd_hdt_info own;
    *trace = NULL;
    info = info ? info : &own;
    *info = (struct hd_hdt_info){0};
    struct reader r = {.data = data, .len = len, .name = name, .err = err, .info = info};
    enum hd_status status = read_all(&r, trace);
    ZSTD_freeDCtx(r.zstd);
    hd_free(r.raw, r.raw_cap);
    return status;
}
