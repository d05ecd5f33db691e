#include "trace/pack.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BLOCK = 256 * 1024 };

struct hd_unpack {
    enum hd_packing pack;
    hd_pack_sink sink;
    void *ctx;
    uint64_t taken; /* packed bytes used so far */
    bool open;      /* inside a frame */
    bool padding;   /* gzip: only zero bytes may follow */
    ZSTD_DStream *zstd;
    z_stream gzip;
    char block[BLOCK];
};

enum hd_packing hd_pack_sniff(const void *data, size_t len)
{
    const unsigned char *p = data;
    if (len < 4)
        return HD_PACK_NONE;
    uint32_t magic = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    if (magic == ZSTD_MAGICNUMBER ||
        (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START)
        return HD_PACK_ZSTD;
    return p[0] == 0x1f && p[1] == 0x8b ? HD_PACK_GZIP : HD_PACK_NONE;
}

enum hd_packing hd_pack_by_suffix(const char *path)
{
    size_t len = strlen(path);
    if (len > 4 && !strcmp(path + len - 4, ".zst"))
        return HD_PACK_ZSTD;
    return len > 3 && !strcmp(path + len - 3, ".gz") ? HD_PACK_GZIP : HD_PACK_NONE;
}

struct hd_unpack *hd_unpack_new(enum hd_packing pack, hd_pack_sink sink, void *ctx)
{
    struct hd_unpack *u = hd_calloc(1, sizeof *u);
    u->pack = pack;
    u->sink = sink;
    u->ctx = ctx;
    bool made = true;
    if (pack == HD_PACK_ZSTD)
        made = (u->zstd = ZSTD_createDStream()) != NULL;
    else if (pack == HD_PACK_GZIP) /* 15 + 16: the largest window, gzip frames only */
        made = inflateInit2(&u->gzip, 15 + 16) == Z_OK;
    if (made)
        return u;
    hd_unpack_free(u);
    return NULL;
}

void hd_unpack_free(struct hd_unpack *u)
{
    if (!u)
        return;
    ZSTD_freeDStream(u->zstd);
    if (u->pack == HD_PACK_GZIP)
        inflateEnd(&u->gzip);
    hd_free(u, sizeof *u);
}

static enum hd_status damaged(const struct hd_unpack *u, const char *reason, struct hd_err *err)
{
    return hd_err_set(err, HD_ERR_INPUT, "the %s stream is damaged near its byte %llu: %s",
                      u->pack == HD_PACK_ZSTD ? "zstd" : "gzip", (unsigned long long)u->taken,
                      reason);
}

static enum hd_status feed_zstd(struct hd_unpack *u, const void *data, size_t len,
                                struct hd_err *err)
{
    ZSTD_inBuffer in = {data, len, 0};
    bool full = false; /* the output block was filled, so more may be waiting inside */
    while (in.pos < in.size || full) {
        ZSTD_outBuffer out = {u->block, BLOCK, 0};
        size_t before = in.pos;
        size_t left = ZSTD_decompressStream(u->zstd, &out, &in);
        u->taken += in.pos - before;
        if (ZSTD_isError(left))
            return damaged(u, ZSTD_getErrorName(left), err);
        u->open = left != 0;
        full = out.pos == out.size;
        enum hd_status status = out.pos ? u->sink(u->ctx, u->block, out.pos, err) : HD_OK;
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

/* Between gzip members. Returns false when something other than a member or padding follows. */
static bool next_member(struct hd_unpack *u)
{
    if (*u->gzip.next_in == 0)
        u->padding = true;
    if (!u->padding) {
        inflateReset(&u->gzip);
        u->open = true;
        return true;
    }
    while (u->gzip.avail_in && *u->gzip.next_in == 0) {
        u->gzip.next_in++;
        u->gzip.avail_in--;
        u->taken++;
    }
    return u->gzip.avail_in == 0;
}

static enum hd_status feed_gzip(struct hd_unpack *u, const void *data, size_t len,
                                struct hd_err *err)
{
    u->gzip.next_in = (unsigned char *)(uintptr_t)data;
    u->gzip.avail_in = (unsigned)len;
    bool full = false;
    while (u->gzip.avail_in || full) {
        if (!u->open && !next_member(u))
            return damaged(u, "bytes after its end", err);
        if (!u->open)
            break;
        u->gzip.next_out = (unsigned char *)u->block;
        u->gzip.avail_out = BLOCK;
        unsigned before = u->gzip.avail_in;
        int result = inflate(&u->gzip, Z_NO_FLUSH);
        u->taken += before - u->gzip.avail_in;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return damaged(u, u->gzip.msg ? u->gzip.msg : "it is not deflate data", err);
        u->open = result != Z_STREAM_END;
        full = u->open && u->gzip.avail_out == 0;
        size_t made = BLOCK - u->gzip.avail_out;
        enum hd_status status = made ? u->sink(u->ctx, u->block, made, err) : HD_OK;
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

enum hd_status hd_unpack_feed(struct hd_unpack *u, const void *data, size_t len, struct hd_err *err)
{
    const char *p = data;
    while (len) {
        size_t part = len < 1u << 30 ? len : 1u << 30; /* zlib counts in unsigned int */
        enum hd_status status = u->pack == HD_PACK_ZSTD   ? feed_zstd(u, p, part, err)
                                : u->pack == HD_PACK_GZIP ? feed_gzip(u, p, part, err)
                                                          : u->sink(u->ctx, p, part, err);
        if (status != HD_OK)
            return status;
        p += part;
        len -= part;
    }
    return HD_OK;
}

enum hd_status hd_unpack_end(struct hd_unpack *u, struct hd_err *err)
{
    if (!u->open)
        return HD_OK;
    return hd_err_set(err, HD_ERR_INPUT, "the %s stream ends too early, after %llu bytes",
                      u->pack == HD_PACK_ZSTD ? "zstd" : "gzip", (unsigned long long)u->taken);
}
