/* Shapes: the kind of a packed record with its size and flags, and what such a record is made of.
 * Part of log/rt_pack.h.
 *
 * A shape has 16 bits: 0-5 the kind (HD_LOG_*), 6-7 the logarithm of the size, then flags. The key
 * of a slot is the address of its place shifted by 16 bits, and the shape.
 */
#ifndef HEDDLE_RT_SHAPE_H
#define HEDDLE_RT_SHAPE_H

#include "log/rt_log.h"

#include <stdbool.h>

enum {
    HD_SHAPE_SITE = 1 << 8,    /* the address is a struct hd_site: tokens are given */
    HD_SHAPE_GUESS = 1 << 9,   /* HD_LOG_PENDING of a read */
    HD_SHAPE_JOINED = 1 << 11, /* HD_LOG_JOINED */
    HD_SHAPE_TRY = 1 << 12,    /* HD_LOG_TRY */
    HD_SHAPE_PLACE = 1 << 10,  /* only names a place, for plain records */
};

/* ORDER: a fence of this order, here. It is no event of the runtime: nothing has to wait for it. */
#define HD_LOG_FENCE 0x100u

/* What a record of a shape is made of. */
enum {
    HD_PART_WORD0 = 1,
    HD_PART_WORD1 = 2,
    HD_PART_MEMORY = 4, /* word 0 is an address, word 1 what is there */
    HD_PART_ADDR = 8,   /* token of the address */
    HD_PART_VAL = 16,   /* token of the value or choice */
    HD_PART_NEW = 32,   /* word 2: what an rmw leaves there */
    HD_PART_WIDE = 64,  /* word 0 is an address, word 1 points at 16, 32 or 64 bytes: see below */
};

static inline uint64_t hd_pack_key(uint64_t address, unsigned shape)
{
    return address << 16 | shape;
}

static inline unsigned hd_pack_shape(uint64_t key)
{
    return (unsigned)(key & 0xffff);
}

static inline unsigned hd_shape_kind(unsigned shape)
{
    return shape & 63;
}

static inline unsigned hd_shape_size(unsigned shape)
{
    return 1u << (shape >> 6 & 3);
}

/* Bytes of a shape with HD_PART_WIDE. */
static inline unsigned hd_shape_wide(unsigned shape)
{
    return 16u << (shape >> 6 & 3);
}

/* The parts of a shape; 0 for kinds that are always plain. */
static inline __attribute__((always_inline)) unsigned hd_shape_parts(unsigned shape)
{
    unsigned addr = shape & HD_SHAPE_SITE ? HD_PART_ADDR : 0;
    unsigned val = shape & HD_SHAPE_SITE ? HD_PART_VAL : 0;
    switch (hd_shape_kind(shape)) {
    case HD_LOG_READ:
    case HD_LOG_AREAD:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | addr;
    case HD_LOG_WRITE:
    case HD_LOG_AWRITE:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | addr | val;
    case HD_LOG_RMW:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | HD_PART_NEW | addr | val;
    case HD_LOG_RANGE_READ: /* for word 1 see hd_put_wide */
        return shape & HD_SHAPE_SITE ? HD_PART_WORD0 | HD_PART_WIDE | addr : 0;
    case HD_LOG_RANGE_WRITE:
        return shape & HD_SHAPE_SITE ? HD_PART_WORD0 | HD_PART_WIDE | addr | val : 0;
    case HD_LOG_BRANCH:
        return HD_PART_VAL;
    case HD_LOG_MORE:
        return HD_PART_WORD0 | HD_PART_VAL;
    case HD_LOG_ALLOC:
    case HD_LOG_GONE:
    case HD_LOG_WAIT:
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        return HD_PART_WORD0 | HD_PART_WORD1;
    case HD_LOG_ACQ:
    case HD_LOG_REL:
    case HD_LOG_RACQ:
    case HD_LOG_RREL:
    case HD_LOG_TRYFAIL:
    case HD_LOG_SIG:
    case HD_LOG_BCAST:
    case HD_LOG_POST:
    case HD_LOG_SEM:
    case HD_LOG_BARIN:
    case HD_LOG_BAROUT:
    case HD_LOG_FREE:
    case HD_LOG_ORDER:
        return HD_PART_WORD0;
    default:
        return 0;
    }
}

/* Whether what a record of this shape reads may be a pointer. */
static inline __attribute__((always_inline)) bool hd_shape_points(unsigned shape)
{
    return hd_shape_size(shape) == 8 && hd_shape_kind(shape) != HD_LOG_WRITE;
}

/* Whether it is a plain or atomic read of 1 to 8 bytes. */
static inline __attribute__((always_inline)) bool hd_shape_looks(unsigned shape)
{
    return hd_shape_kind(shape) == HD_LOG_READ || hd_shape_kind(shape) == HD_LOG_AREAD;
}

#endif
