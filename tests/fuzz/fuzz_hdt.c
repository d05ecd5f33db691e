/* The .hdt reader on any bytes: once as they are, and once with every checksum and sequence number
 * put right, so that what lies behind the checksums is reached. The seeds are not packed for the
 * same reason. */
#include "base/alloc.h"
#include "round_trip.h"
#include "trace/hdt/hdt_int.h"

#include <zlib.h>

static void repair(uint8_t *data, size_t len)
{
    if (len < HD_HDT_HEADER_BYTES)
        return;
    memcpy(data, HD_HDT_MAGIC, HD_HDT_MAGIC_LEN);
    hd_hdt_put16(data + HD_HDT_AT_VERSION, HD_HDT_VERSION);
    hd_hdt_put16(data + HD_HDT_AT_HEADER_SIZE, HD_HDT_HEADER_BYTES);
    hd_hdt_put32(data + HD_HDT_AT_FLAGS, data[HD_HDT_AT_FLAGS] & HD_HDT_HEADER_BRANCHES);
    hd_hdt_put32(data + HD_HDT_AT_HEADER_CRC, (uint32_t)crc32(0, data, HD_HDT_AT_HEADER_CRC));
    uint32_t sequence = 0;
    for (size_t at = HD_HDT_HEADER_BYTES; len - at >= HD_HDT_CHUNK_BYTES;) {
        uint8_t *h = data + at;
        size_t stored = hd_hdt_get32(h + HD_HDT_AT_STORED_BYTES),
               left = len - at - HD_HDT_CHUNK_BYTES;
        hd_hdt_put32(h + HD_HDT_AT_SEQUENCE, sequence++);
        if (stored <= left)
            hd_hdt_put32(h + HD_HDT_AT_PAYLOAD_CRC,
                         (uint32_t)crc32_z(0, h + HD_HDT_CHUNK_BYTES, stored));
        hd_hdt_put32(h + HD_HDT_AT_CHUNK_CRC, (uint32_t)crc32(0, h, HD_HDT_AT_CHUNK_CRC));
        if (stored > left)
            return;
        at += HD_HDT_CHUNK_BYTES + stored;
    }
}

/* Text has names only where something names them. */
static bool all_named(const struct hd_trace *t)
{
    uint8_t *used = calloc(t->places.count + 1, 1);
    bool all = true;
    for (size_t e = 0; e < t->n_events; e++)
        used[t->place[e]] = 1;
    for (size_t i = 0; i < t->places.count; i++)
        all = all && used[i];
    free(used);
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        for (size_t i = 0; i < t->by_obj[kind].count; i++)
            all = all && t->by_obj[kind].start[i] < t->by_obj[kind].start[i + 1];
    return all;
}

static void try_reading(const uint8_t *data, size_t size)
{
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    struct hd_hdt_info info;
    enum hd_status status = hd_hdt_read(data, size, "fuzz", &t, &info, &err);
    if (status == HD_OK) {
        require(info.used_bytes <= size, "info", "more bytes used than there are");
        round_trip_hdt(t);
        if (all_named(t))
            round_trip_text(t, false);
    } else {
        require(!t && err.text[0] && !strcmp(err.file, "fuzz"), "error", "it says nothing");
    }
    hd_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t before = hd_alloc_in_use();
    try_reading(data, size);
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, data, size);
    repair(copy, size);
    try_reading(copy, size);
    free(copy);
    require(hd_alloc_in_use() == before, "memory", "something is lost");
    return 0;
}
