#include "recording/recfile.h"

#include "base/alloc.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#define VERSION     9
#define FILE_HEADER 16
#define HEADER      20
#define RAW_MAX     (1u << 30)

#define PAGE   4096u
#define WINDOW (4u << 20) /* bytes that are read before pages are given back */
/* With a page the kernel maps those around it that it has: as many as fault_around_bytes and large
 * folios hold, commonly 64 KB, also before it. */
#define AROUND (2u << 20)

static const uint8_t magic[8] = {0x89, 'H', 'D', 'R', '\r', '\n', 0x1a, '\n'};

static void put32(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Of what a block holds, as stored. A crc would take a tenth of the time of recording. */
static uint32_t checksum(const uint8_t *p, size_t n)
{
    return (uint32_t)XXH3_64bits(p, n);
}

static void write_all(struct hd_rec_writer *w, const void *data, size_t len)
{
    const char *from = data;
    while (len && !w->error) {
        ssize_t n = write(w->fd, from, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            w->error = n < 0 ? errno : EIO;
            return;
        }
        from += n;
        len -= (size_t)n;
        w->size += (uint64_t)n;
    }
}

void hd_rec_writer_init(struct hd_rec_writer *w, int fd)
{
    uint8_t h[FILE_HEADER];
    *w = (struct hd_rec_writer){.fd = fd, .starts = HD_VEC_INIT(uint64_t)};
    memcpy(h, magic, sizeof magic);
    put32(h + 8, VERSION);
    put32(h + 12, (uint32_t)crc32(0, h, 12));
    write_all(w, h, sizeof h);
}

void hd_rec_writer_fini(struct hd_rec_writer *w)
{
    hd_vec_fini(&w->starts);
    ZSTD_freeCCtx(w->zstd);
    hd_free(w->buffer, w->cap);
}

/* The block compressed into w->buffer; 0 when that does not make it shorter. */
static size_t compress_block(struct hd_rec_writer *w, const void *data, size_t len, int level)
{
    size_t bound = ZSTD_compressBound(len);
    if (!w->zstd && !(w->zstd = ZSTD_createCCtx()))
        return 0;
    if (w->cap < bound) {
        hd_free(w->buffer, w->cap);
        w->buffer = hd_alloc(bound);
        w->cap = bound;
    }
    size_t n = ZSTD_compressCCtx(w->zstd, w->buffer, w->cap, data, len, level);
    return ZSTD_isError(n) || n >= len ? 0 : n;
}

void hd_rec_copy(struct hd_rec_writer *w, unsigned type, const struct hd_rec_block *block)
{
    uint8_t h[HEADER] = {(uint8_t)type, block->packed};
    if (w->error)
        return;
    if (type == HD_REC_LOG)
        *(uint64_t *)hd_vec_push(&w->starts) = w->size;
    put32(h + 4, block->stored);
    put32(h + 8, block->raw);
    put32(h + 12, checksum(block->data, block->stored));
    put32(h + 16, (uint32_t)crc32(0, h, 16));
    write_all(w, h, sizeof h);
    write_all(w, block->data, block->stored);
}

void hd_rec_put(struct hd_rec_writer *w, enum hd_rec_type type, const void *data, size_t len,
                int level)
{
    size_t packed = level && len && !w->error ? compress_block(w, data, len, level) : 0;
    struct hd_rec_block b = {type, packed != 0, (uint32_t)(packed ? packed : len), (uint32_t)len,
                             packed ? w->buffer : data};
    hd_rec_copy(w, type, &b);
}

bool hd_rec_cut(struct hd_rec_writer *w)
{
    if (!w->starts.len)
        return false;
    uint64_t to = *(uint64_t *)hd_vec_at(&w->starts, --w->starts.len);
    if (ftruncate(w->fd, (off_t)to) < 0 || lseek(w->fd, (off_t)to, SEEK_SET) < 0)
        return false;
    w->size = to;
    w->error = 0;
    return true;
}

bool hd_rec_is(const char *data, size_t len)
{
    return len >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

static enum hd_status refuse(const struct hd_rec *rec, struct hd_err *err, const char *why)
{
    return hd_err_at(err, HD_ERR_INPUT, rec->name, 0, "%s", why);
}

void hd_rec_was_read(const struct hd_rec *rec, const struct hd_rec_block *block, size_t *from)
{
    size_t start = (size_t)(block->data - rec->data), end = start + block->stored;
    if (start < *from) /* it has begun again */
        *from = start;
    if (!rec->mapped || end - *from < WINDOW)
        return;
    size_t first = *from > AROUND ? (*from - AROUND) / PAGE * PAGE : 0;
    madvise((void *)(uintptr_t)(rec->data + first), end - first, MADV_DONTNEED);
    *from = end;
}

static enum hd_status read_blocks(struct hd_rec *rec, const uint8_t *at, const uint8_t *end,
                                  struct hd_err *err)
{
    for (size_t from = 0;;) {
        if (end - at < HEADER)
            return refuse(rec, err, "the recording is cut short");
        if ((uint32_t)crc32(0, at, 16) != get32(at + 16))
            return refuse(rec, err, "the checksum of a block's header is wrong");
        struct hd_rec_block b = {at[0], at[1] != 0, get32(at + 4), get32(at + 8), at + HEADER};
        uint32_t sum = get32(at + 12);
        at += HEADER;
        if (b.type == HD_REC_END)
            return HD_OK;
        if ((size_t)(end - at) < b.stored)
            return refuse(rec, err, "the recording is cut short");
        if (b.raw > RAW_MAX || (!b.packed && b.raw != b.stored))
            return refuse(rec, err, "a block has an impossible length");
        if (checksum(at, b.stored) != sum)
            return refuse(rec, err, "the checksum of a block is wrong");
        *(struct hd_rec_block *)hd_vec_push(&rec->blocks) = b;
        hd_rec_was_read(rec, &b, &from);
        at += b.stored;
    }
}

static enum hd_status open_as(bool mapped, const char *name, const char *data, size_t len,
                              struct hd_rec *rec, struct hd_err *err)
{
    const uint8_t *h = (const uint8_t *)data;
    *rec = (struct hd_rec){
        .name = name, .data = h, .mapped = mapped, .blocks = HD_VEC_INIT(struct hd_rec_block)};
    if (!hd_rec_is(data, len) || len < FILE_HEADER)
        return refuse(rec, err, "not a recording");
    if ((uint32_t)crc32(0, h, 12) != get32(h + 12))
        return refuse(rec, err, "the checksum of the header is wrong");
    if (get32(h + 8) != VERSION)
        return hd_err_at(err, HD_ERR_INPUT, name, 0,
                         "a recording of version %u; this heddle reads version %d", get32(h + 8),
                         VERSION);
    enum hd_status s = read_blocks(rec, h + FILE_HEADER, h + len, err);
    HD_DEBUG_LINE(RECORDING, "%s: %zu bytes, %zu blocks", name, len, rec->blocks.len);
    if (s != HD_OK)
        hd_rec_close(rec);
    return s;
}

enum hd_status hd_rec_open(const char *name, const char *data, size_t len, struct hd_rec *rec,
                           struct hd_err *err)
{
    return open_as(false, name, data, len, rec, err);
}

enum hd_status hd_rec_open_mapped(const char *name, const char *data, size_t len,
                                  struct hd_rec *rec, struct hd_err *err)
{
    return open_as(true, name, data, len, rec, err);
}

void hd_rec_close(struct hd_rec *rec)
{
    hd_vec_fini(&rec->blocks);
}

enum hd_status hd_rec_unpack(const struct hd_rec *rec, const struct hd_rec_block *block,
                             uint8_t *to, struct hd_err *err)
{
    HD_DCHECK(block->raw <= RAW_MAX);
    if (!block->packed) {
        memcpy(to, block->data, block->raw);
        return HD_OK;
    }
    size_t n = ZSTD_decompress(to, block->raw, block->data, block->stored);
    return n == block->raw ? HD_OK : refuse(rec, err, "a block cannot be unpacked");
}

bool hd_rec_has(const struct hd_rec *rec, enum hd_rec_type type)
{
    for (size_t i = 0; i < rec->blocks.len; i++)
        if (((const struct hd_rec_block *)hd_vec_at(&rec->blocks, i))->type == type)
            return true;
    return false;
}

enum hd_status hd_rec_get(const struct hd_rec *rec, enum hd_rec_type type, char **data, size_t *len,
                          struct hd_err *err)
{
    *data = NULL;
    *len = 0;
    for (size_t i = 0; i < rec->blocks.len; i++) {
        const struct hd_rec_block *b = hd_vec_at(&rec->blocks, i);
        if (b->type != type)
            continue;
        char *to = hd_alloc(b->raw + (size_t)1);
        enum hd_status s = hd_rec_unpack(rec, b, (uint8_t *)to, err);
        if (s != HD_OK) {
            hd_free(to, b->raw + (size_t)1);
            return s;
        }
        to[b->raw] = 0;
        *data = to;
        *len = b->raw;
        return HD_OK;
    }
    return refuse(rec, err, "the recording lacks a block");
}
