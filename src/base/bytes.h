/* A growing run of bytes with varints, and a cursor to read them back. Varints as in
 * docs/TRACE_FORMAT.md. */
#ifndef HD_BASE_BYTES_H
#define HD_BASE_BYTES_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct hd_bytes {
    uint8_t *data;
    size_t len, cap;
};

static inline void hd_bytes_fini(struct hd_bytes *b)
{
    hd_free(b->data, b->cap);
    *b = (struct hd_bytes){0};
}

static inline uint8_t *hd_bytes_room(struct hd_bytes *b, size_t n)
{
    if (b->len + n > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 256;
        while (cap < b->len + n)
            cap *= 2;
        b->data = hd_realloc(b->data, b->cap, cap);
        b->cap = cap;
    }
    return b->data + b->len;
}

static inline void hd_bytes_put(struct hd_bytes *b, const void *data, size_t n)
{
    if (n)
        memcpy(hd_bytes_room(b, n), data, n);
    b->len += n;
}

static inline void hd_bytes_varint(struct hd_bytes *b, uint64_t x)
{
    uint8_t *p = hd_bytes_room(b, 10), *start = p;
    for (; x >= 0x80; x >>= 7)
        *p++ = (uint8_t)(x | 0x80);
    *p++ = (uint8_t)x;
    b->len += (size_t)(p - start);
}

/* `bad` stays set: after it every answer is 0. */
struct hd_bytes_cur {
    const uint8_t *p, *end;
    bool bad;
};

static inline uint64_t hd_bytes_get(struct hd_bytes_cur *c)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
        uint8_t byte = *c->p++;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return x;
    }
    c->bad = true;
    return 0;
}

#endif
