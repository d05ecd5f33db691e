/* The reader of recordings on any bytes: once as they are, and once with every checksum put right,
 * so that what lies behind the checksums is reached. The seeds are not packed for the same reason.
 * A program may have written over its log, so the builder may make a trace that is inconsistent;
 * the check of traces refuses it then, with a reason. */
#include "base/alloc.h"
#include "build/build.h"
#include "model/check.h"
#include "require.h"

#include <string.h>
#include <xxhash.h>
#include <zlib.h>

/* docs/TRACE_FORMAT.md, "Recordings". */
#define FILE_HEADER 16
#define HEADER      20
#define VERSION     5

static void put32(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void repair(uint8_t *data, size_t len)
{
    static const uint8_t magic[8] = {0x89, 'H', 'D', 'R', '\r', '\n', 0x1a, '\n'};
    if (len < FILE_HEADER)
        return;
    memcpy(data, magic, sizeof magic);
    put32(data + 8, VERSION);
    put32(data + 12, (uint32_t)crc32(0, data, 12));
    for (size_t at = FILE_HEADER; len - at >= HEADER;) {
        uint8_t *h = data + at;
        size_t left = len - at - HEADER, stored;
        stored = h[4] | (size_t)h[5] << 8 | (size_t)h[6] << 16 | (size_t)h[7] << 24;
        if (stored <= left)
            put32(h + 12, (uint32_t)XXH3_64bits(h + HEADER, stored));
        put32(h + 16, (uint32_t)crc32(0, h, 16));
        if (stored > left || h[0] == 'E')
            return;
        at += HEADER + stored;
    }
}

static void try_building(const uint8_t *data, size_t size)
{
    struct hd_trace *t = NULL;
    struct hd_build_info info = {0};
    struct hd_err err = {0};
    hd_eid bad;
    if (hd_build_trace("fuzz", (const char *)data, size, NULL, &t, &info, &err) == HD_OK)
        require(hd_check_trace(t, &bad, &err) == HD_OK || err.text[0], "trace", "no reason");
    else
        require(!t && err.text[0], "error", "it says nothing");
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t before = hd_alloc_in_use();
    try_building(data, size);
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, data, size);
    repair(copy, size);
    try_building(copy, size);
    free(copy);
    require(hd_alloc_in_use() == before, "memory", "something is lost");
    return 0;
}
