/* What goes over the socket between the tool and a solver process: a stream of operations, each a
 * code followed by numbers.
 *
 * Numbers are written 7 bits at a time, lowest first; the top bit means that more follow. Signed
 * ones are folded first (0, -1, 1, -2, ... become 0, 1, 2, 3, ...). The other side answers a check
 * with one byte (enum hd_reply) and a question for values with 8 bytes for each of them; nothing
 * else is answered. Both ends are one program, so the stream needs no version.
 */
#ifndef HD_SOLVE_WIRE_H
#define HD_SOLVE_WIRE_H

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

enum hd_wire_op {
    HD_WIRE_NEW_ORDER, /* memory in bytes: a new formula of Booleans and order variables */
    HD_WIRE_BOOL,
    HD_WIRE_ORDER,
    HD_WIRE_BEFORE,     /* x y */
    HD_WIRE_CLAUSE,     /* n, n literals */
    HD_WIRE_AT_LEAST,   /* k, n, n literals */
    HD_WIRE_CHECK,      /* n, n literals */
    HD_WIRE_TRUTHS,     /* n, n literals: 0 or 1 each */
    HD_WIRE_PLACES,     /* n, n order variables */
    HD_WIRE_NEW_BITS,   /* memory in bytes: a new store of bit-vector terms */
    HD_WIRE_VAR,        /* width */
    HD_WIRE_CONST,      /* width value */
    HD_WIRE_BINARY,     /* enum hd_bv_op a b */
    HD_WIRE_EXTEND,     /* a bits signed */
    HD_WIRE_EXTRACT,    /* a low width */
    HD_WIRE_ITE,        /* cond a b */
    HD_WIRE_CHECK_BITS, /* milliseconds for the first try, n, n times (term, truth) */
    HD_WIRE_VALUES      /* n, n terms */
};

enum hd_reply {
    HD_REPLY_UNKNOWN, /* as in enum hd_sat */
    HD_REPLY_YES,
    HD_REPLY_NO,
    HD_REPLY_MEMORY,
    HD_REPLY_MISUSE /* a bug of ours; Z3's words follow until the end of the stream */
};

struct hd_wire {
    uint8_t *data;
    size_t len, cap;
};

static inline void hd_wire_fini(struct hd_wire *w)
{
    hd_free(w->data, w->cap);
    *w = (struct hd_wire){0};
}

static inline void hd_wire_put(struct hd_wire *w, uint64_t x)
{
    if (w->cap - w->len < 10) { /* 64 bits in groups of 7 */
        size_t cap = w->cap ? 2 * w->cap : 4096;
        w->data = hd_realloc(w->data, w->cap, cap);
        w->cap = cap;
    }
    for (; x >= 0x80; x >>= 7)
        w->data[w->len++] = (uint8_t)(x | 0x80);
    w->data[w->len++] = (uint8_t)x;
}

static inline void hd_wire_put_signed(struct hd_wire *w, int64_t x)
{
    hd_wire_put(w, (uint64_t)x << 1 ^ (uint64_t)(x < 0 ? -1 : 0));
}

#endif
