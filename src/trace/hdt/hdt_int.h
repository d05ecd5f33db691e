/* What the .hdt writer and reader share: bytes, varints, and the predictor of docs/TRACE_FORMAT.md
 * section 6. Both sides drive the same predictor with the same events, so that an event which comes
 * as predicted costs one zero byte. Private to hdt*.c. The fields are open because both loops are
 * hot.
 */
#ifndef HD_TRACE_HDT_HDT_INT_H
#define HD_TRACE_HDT_HDT_INT_H

#include "heddle/trace_fmt.h"
#include "trace/trace.h"

#include <string.h>

static inline uint32_t hd_hdt_get16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t hd_hdt_get32(const uint8_t *p)
{
    return hd_hdt_get16(p) | hd_hdt_get16(p + 2) << 16;
}

static inline uint64_t hd_hdt_get64(const uint8_t *p)
{
    return hd_hdt_get32(p) | (uint64_t)hd_hdt_get32(p + 4) << 32;
}

static inline void hd_hdt_put16(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
}

static inline void hd_hdt_put32(uint8_t *p, uint32_t x)
{
    hd_hdt_put16(p, x);
    hd_hdt_put16(p + 2, x >> 16);
}

static inline void hd_hdt_put64(uint8_t *p, uint64_t x)
{
    hd_hdt_put32(p, (uint32_t)x);
    hd_hdt_put32(p + 4, (uint32_t)(x >> 32));
}

/* Small magnitudes of either sign become small numbers: 0, -1, 1, -2, ... */
static inline uint64_t hd_hdt_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t hd_hdt_unzigzag(uint64_t code)
{
    return code >> 1 ^ (0 - (code & 1));
}

/* A stream being read. `bad` is sticky: after it every answer is 0 and the caller refuses in the
 * end, so loops must be bounded by something else than the data. */
struct hd_hdt_cur {
    const uint8_t *p, *end;
    bool bad;
};

static inline uint64_t hd_hdt_get_varint(struct hd_hdt_cur *c)
{
    uint64_t x = 0;
    for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
        uint8_t byte = *c->p++;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (shift == 63 && byte > 1)
                break;
            return x;
        }
    }
    c->bad = true;
    return 0;
}

/* The ops whose sites may have the mark: an access without its value, a lock that is only tried. */
static inline bool hd_hdt_has_mark(unsigned op)
{
    return hd_op_is_access(op) || op == HD_OP_ACQ || op == HD_OP_RACQ;
}

/* A combination of op, place, dependences and mark, and which site followed it lately. */
struct hd_hdt_site {
    uint64_t need; /* bit d - 1: the event d before it in its thread must be a read */
    uint32_t place;
    uint32_t dep; /* writer: number of the record; reader: its offset in the pool */
    uint16_t next, other;
    uint8_t op, marked, kind, reads;
    uint8_t order;  /* HD_F_ORDER of its events */
    uint8_t leaves; /* wake and tmo: only after a wait of the thread */
};

/* What a thread did last at a site. */
struct hd_hdt_context {
    uint32_t object, stride;
    uint64_t value;
    uint64_t rise; /* by how much the last explicit write changed the number in memory */
};

struct hd_hdt_thread {
    uint64_t reads;               /* bit d - 1: the event d back was a read */
    uint64_t copied;              /* the number that the thread read last */
    uint32_t object[HD_OBJ_NONE]; /* last one by kind */
    uint16_t site;
    uint8_t waits; /* its last event is a wait; reader only */
    uint32_t wait_lock;
};

struct hd_hdt_model {
    struct hd_hdt_site *sites; /* room for site_cap; moves when it grows */
    uint32_t site_cap;         /* a small trace does not pay for 65536 */
    struct hd_hdt_context contexts[HD_HDT_CONTEXTS];
    uint32_t n_sites;            /* defined so far, capped: counts on to HD_HDT_SITES and stays */
    uint32_t next_slot;          /* of the next definition; wraps around */
    uint32_t fresh[HD_OBJ_NONE]; /* by kind: one more than the largest id seen in an event */
};

static inline struct hd_hdt_context *hd_hdt_context(struct hd_hdt_model *m, hd_tid thread,
                                                    unsigned slot)
{
    return &m->contexts[(slot + thread * HD_HDT_CONTEXT_FACTOR) % HD_HDT_CONTEXTS];
}

/* hdt_model.c. A new model is in the state that a file starts with. */
struct hd_hdt_model *hd_hdt_model_new(void);
void hd_hdt_model_free(struct hd_hdt_model *m);

/* Fills the next slot and returns it. Moves m->sites. */
unsigned hd_hdt_define(struct hd_hdt_model *m, const struct hd_hdt_site *site);

/* Remembers what came after `before` when it was not the first guess. */
static inline void hd_hdt_follow(struct hd_hdt_site *before, unsigned slot)
{
    before->other = before->next;
    before->next = (uint16_t)slot;
}

/* Every object moves the predictor in the same way, however it was coded. */
static inline void hd_hdt_note_object(struct hd_hdt_model *m, struct hd_hdt_thread *th,
                                      struct hd_hdt_context *cx, unsigned kind, unsigned mode,
                                      uint32_t object)
{
    if (mode != HD_HDT_OBJ_STRIDE)
        cx->stride = object - cx->object;
    cx->object = object;
    th->object[kind] = object;
    if (object >= m->fresh[kind])
        m->fresh[kind] = object + 1;
}

static inline void hd_hdt_note_read(struct hd_hdt_thread *th, struct hd_hdt_context *cx,
                                    uint64_t number)
{
    th->copied = number;
    cx->value = number;
}

static inline void hd_hdt_note_write(struct hd_hdt_context *cx, unsigned mode, uint64_t before,
                                     uint64_t number)
{
    if (mode != HD_HDT_VAL_PREDICTED)
        cx->rise = number - before;
    cx->value = number;
}

#endif
