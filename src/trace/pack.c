#include "trace/pack.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BLOCK = 256 * 1024, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

/* The cookie of a packing stream. */
struct packer {
    FILE *out;
    enum hd_packing pack;
    ZSTD_CStream *zstd;
    z_stream gzip;
    unsigned char block[BLOCK];
};

static bool put(struct packer *p, size_t len)
{
    return fwrite(p->block, 1, len, p->out) == len;
}

static bool run_zstd(struct packer *p, const char *data, size_t len, bool end)
{
    ZSTD_inBuffer in = {data, len, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {p->block, BLOCK, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* the only way that compressing valid memory can fail */
            return false;
        }
        if (!put(p, out.pos))
            return false;
    } while (end ? left != 0 : in.pos < in.size);
    return true;
}

static bool run_gzip(struct packer *p, const char *data, size_t len, bool end)
{
    p->gzip.next_in = (unsigned char *)(uintptr_t)data;
    p->gzip.avail_in = (unsigned)len;
    int result;
    do {
        p->gzip.next_out = p->block;
        p->gzip.avail_out = BLOCK;
        result = deflate(&p->gzip, end ? Z_FINISH : Z_NO_FLUSH);
        if (!put(p, BLOCK - p->gzip.avail_out))
            return false;
    } while (end ? result != Z_STREAM_END : p->gzip.avail_out == 0);
    return true;
}

static bool run(struct packer *p, const char *data, size_t len, bool end)
{
    return p->pack == HD_PACK_ZSTD ? run_zstd(p, data, len, end) : run_gzip(p, data, len, end);
}

static ssize_t packer_write(void *cookie, const char *data, size_t len)
{
    size_t part = len < 1u << 30 ? len : 1u << 30; /* zlib counts in unsigned int */
    return run(cookie, data, part, false) ? (ssize_t)part : 0;
}

static void packer_free(struct packer *p)
{
    ZSTD_freeCStream(p->zstd);
    if (p->pack == HD_PACK_GZIP)
        deflateEnd(&p->gzip);
    hd_free(p, sizeof *p);
}

static int packer_close(void *cookie)
{
    struct packer *p = cookie;
    bool ok = run(p, NULL, 0, true) && fflush(p->out) == 0 && !ferror(p->out);
    int saved = errno;
    packer_free(p);
    errno = saved;
    return ok ? 0 : EOF;
}

static bool start(struct packer *p)
{
    if (p->pack == HD_PACK_GZIP)
        return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) ==
               Z_OK;
    p->zstd = ZSTD_createCStream();
    return p->zstd && !ZSTD_isError(ZSTD_initCStream(p->zstd, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
}

FILE *hd_pack_writer(FILE *out, enum hd_packing pack)
{
    struct packer *p = hd_calloc(1, sizeof *p);
    p->out = out;
    p->pack = pack;
    cookie_io_functions_t io = {.write = packer_write, .close = packer_close};
    FILE *stream = start(p) ? fopencookie(p, "w", io) : NULL;
    if (!stream) {
        packer_free(p);
        errno = ENOMEM;
        return NULL;
    }
    setvbuf(stream, NULL, _IOFBF, BLOCK);
    return stream;
}
