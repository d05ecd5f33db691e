/* A record as the reader gives it, and what the reader keeps between records. */
#ifndef HEDDLE_RT_RAW_H
#define HEDDLE_RT_RAW_H

#include "log/rt_log.h"
#include "log/rt_pack.h"

struct hd_raw {
    bool inherited; /* of an ancestor, before the fork */
    enum hd_log_kind kind;
    unsigned aux;
    uint32_t slot;       /* of rt_pack.h: stands for the place; 0: see site */
    uint64_t site;       /* code address, or address of a struct hd_site; 0: none */
    uint64_t w[4];       /* the words */
    const uint8_t *data; /* kinds with contents, until the next record; else NULL */
    size_t len;
    hd_tok addr, val; /* accesses; HD_TOK_NONE when not given */
};

/* What the key of a slot says of its records. */
struct hd_raw_shape {
    uint64_t site;
    uint64_t mask; /* the bits that an access has of a word */
    uint16_t shape;
    uint8_t kind, parts;
    uint8_t size; /* bytes of word 1 */
    bool quick;   /* a read or write of up to 8 bytes, or a branch */
    unsigned aux;
};

/* The reader's state. All that it points to is the caller's. */
struct hd_raw_reader {
    struct hd_pack *pack;        /* zeroed at the start, but for the keys of the slots */
    struct hd_raw_shape *shapes; /* by slot */
    uint32_t n_keys;             /* with slot 0 */
    uint32_t count;              /* events so far of the thread that runs */
    uint8_t *contents;           /* HD_LOG_CHUNK bytes: those of a range that is not spelled out */
};

/* What a key says of the records in its slot. */
static inline struct hd_raw_shape hd_unpack_shape(uint64_t key)
{
    unsigned shape = hd_pack_shape(key), parts = hd_shape_parts(shape);
    bool memory = (parts & HD_PART_MEMORY) != 0;
    unsigned bits = memory ? 8 * hd_shape_size(shape) : 64;
    unsigned kind = hd_shape_kind(shape);
    return (struct hd_raw_shape){
        .site = kind == HD_LOG_MORE ? 0 : key >> 16,
        .mask = UINT64_MAX >> (64 - bits),
        .size = (uint8_t)(bits / 8),
        .shape = (uint16_t)shape,
        .kind = (uint8_t)kind,
        .parts = (uint8_t)parts,
        .quick = (memory && !(parts & HD_PART_NEW)) || kind == HD_LOG_BRANCH,
        .aux = (memory ? hd_shape_size(shape) : 0) | (shape & HD_SHAPE_SITE ? HD_LOG_SITE : 0) |
               (shape & HD_SHAPE_GUESS ? HD_LOG_PENDING : 0) |
               (shape & HD_SHAPE_JOINED ? HD_LOG_JOINED : 0) |
               (shape & HD_SHAPE_TRY ? HD_LOG_TRY : 0),
    };
}

/* Field by field: what compilers make of a whole struct of zeros takes a fifth of the time. */
static inline void hd_raw_clear(struct hd_raw *rec)
{
    rec->inherited = false;
    rec->kind = 0;
    rec->aux = rec->slot = 0;
    rec->site = rec->w[0] = rec->w[1] = rec->w[2] = rec->w[3] = 0;
    rec->data = NULL;
    rec->len = 0;
    rec->addr = rec->val = HD_TOK_NONE;
}

#endif
