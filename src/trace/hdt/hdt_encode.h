/* Turns events into the payloads of DATA chunks (docs/TRACE_FORMAT.md sections 5 and 6).
 *
 * Per chunk: introduce the names and dependence records that its events need, encode the events,
 * take the payload. What no event needs is introduced in the end. Private to hdt*.c.
 */
#ifndef HD_TRACE_HDT_HDT_ENCODE_H
#define HD_TRACE_HDT_HDT_ENCODE_H

#include "base/alloc.h"
#include "trace/hdt/hdt_int.h"

/* A growable run of bytes. A zeroed struct is empty. */
struct hd_hdt_buf {
    uint8_t *data;
    size_t len, cap;
};

static inline void hd_hdt_buf_fini(struct hd_hdt_buf *b)
{
    hd_free(b->data, b->cap);
    *b = (struct hd_hdt_buf){0};
}

/* Lengthens the buffer by n bytes and returns where they are, not initialised. */
static inline uint8_t *hd_hdt_buf_more(struct hd_hdt_buf *b, size_t n)
{
    if (b->len + n > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 4096;
        while (cap < b->len + n)
            cap *= 2;
        b->data = hd_realloc(b->data, b->cap, cap);
        b->cap = cap;
    }
    b->len += n;
    return b->data + b->len - n;
}

static inline void hd_hdt_buf_varint(struct hd_hdt_buf *b, uint64_t x)
{
    uint8_t *p = hd_hdt_buf_more(b, 10), *start = p;
    for (; x >= 0x80; x >>= 7)
        *p++ = (uint8_t)(x | 0x80);
    *p++ = (uint8_t)x;
    b->len -= 10 - (size_t)(p - start);
}

struct hd_hdt_encoder;

struct hd_hdt_encoder *hd_hdt_encoder_new(const struct hd_trace *t); /* t outlives it */
void hd_hdt_encoder_free(struct hd_hdt_encoder *enc);

/* Introduces what the events [from, to) need. False: so much that the chunk is full; take it and
 * call again. */
bool hd_hdt_encoder_introduce(struct hd_hdt_encoder *enc, hd_eid from, hd_eid to);

/* Introduces what is left of the names. False: nothing was left. */
bool hd_hdt_encoder_leftover(struct hd_hdt_encoder *enc);

/* Encodes the events, which are introduced and follow on those encoded before. */
void hd_hdt_encoder_events(struct hd_hdt_encoder *enc, hd_eid from, hd_eid to);

/* Replaces *raw by the payload, empties the encoder's streams, returns the number of events in it.
 */
uint32_t hd_hdt_encoder_take(struct hd_hdt_encoder *enc, struct hd_hdt_buf *raw);

#endif
