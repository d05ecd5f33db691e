/* The text reader on any bytes. The first byte decides the size of the blocks that the rest is fed
 * in. */
#include "base/alloc.h"
#include "round_trip.h"

static enum hd_status read_in_blocks(const char *data, size_t len, size_t block,
                                     struct hd_trace **t, struct hd_err *err)
{
    struct hd_text_reader *r = hd_text_new("fuzz");
    for (size_t at = 0; at < len; at += block) {
        enum hd_status status =
            hd_text_feed(r, data + at, len - at < block ? len - at : block, err);
        if (status == HD_OK)
            continue;
        hd_text_free(r);
        return status;
    }
    return hd_text_finish(r, t, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t before = hd_alloc_in_use();
    const char *text = (const char *)data + 1;
    struct hd_trace *whole = NULL, *blocks = NULL;
    struct hd_err err = {0}, block_err = {0};
    enum hd_status status = hd_text_read(text, size - 1, "fuzz", &whole, &err);
    enum hd_status again = read_in_blocks(text, size - 1, data[0] + 1u, &blocks, &block_err);
    require(status == again && err.line == block_err.line && !strcmp(err.text, block_err.text),
            "blocks", "another result than in one piece");
    if (status == HD_OK) {
        require_equal(whole, blocks, "blocks");
        round_trip_text(whole, true);
        round_trip_hdt(whole);
    } else {
        require(!whole && err.text[0] && !strcmp(err.file, "fuzz"), "error", "it says nothing");
    }
    hd_trace_free(whole);
    hd_trace_free(blocks);
    require(hd_alloc_in_use() == before, "memory", "something is lost");
    return 0;
}
