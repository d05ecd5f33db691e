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

/* Records that are read one after the other (recording/rawlog_quick.h). */
enum hd_raw_quick {
    HD_QUICK_NONE,
    HD_QUICK_WORD,   /* a plain or atomic read or write of up to 8 bytes */
    HD_QUICK_WIDE,   /* a read or write of 16 to 64 bytes, at a site */
    HD_QUICK_BRANCH, /* HD_LOG_BRANCH */
    HD_QUICK_MORE,   /* HD_LOG_MORE; the only one that is no event */
};

/* What the key of a slot means for its records. Also in the slot itself, see struct hd_pack_slot.
 */
struct __attribute__((may_alias)) hd_raw_shape {
    uint64_t site;
    uint64_t mask; /* the bits that an access has of a word */
    uint16_t shape;
    uint16_t ends; /* of a word: bit 0, and the bit of the first byte behind it */
    uint8_t kind, parts;
    uint8_t size;       /* bytes of word 1 */
    uint8_t quick;      /* enum hd_raw_quick */
    bool points, looks; /* hd_shape_points, hd_shape_looks; of a word */
    bool plain;         /* a read or write of a word that is not atomic, nor HD_LOG_PENDING */
    bool alone;         /* plain, and the compiler's own at a site: no part of a call */
    unsigned aux;
};
_Static_assert(sizeof(struct hd_raw_shape) <= sizeof(((struct hd_pack_slot *)0)->reader),
               "a shape has room in its slot");

static inline __attribute__((always_inline)) const struct hd_raw_shape *
hd_raw_shape_in(const struct hd_pack_slot *s)
{
    return (const struct hd_raw_shape *)s->reader;
}

/* The reader's state. All that it points to is the caller's. */
struct hd_raw_reader {
    struct hd_pack *pack;        /* zeroed at the start, but for the keys of the slots */
    struct hd_raw_shape *shapes; /* by slot */
    uint32_t n_keys;             /* with slot 0 */
    uint32_t count;              /* events so far of the thread that runs */
    uint8_t *contents;           /* HD_LOG_CHUNK bytes: those of a range that is not spelled out */
};

static inline enum hd_raw_quick hd_unpack_class(unsigned kind, unsigned shape, unsigned parts)
{
    if (parts & HD_PART_MEMORY)
        return parts & HD_PART_NEW ? HD_QUICK_NONE : HD_QUICK_WORD;
    if (parts & HD_PART_WIDE)
        return hd_shape_wide(shape) > 64 ? HD_QUICK_NONE : HD_QUICK_WIDE;
    return kind == HD_LOG_BRANCH ? HD_QUICK_BRANCH
           : kind == HD_LOG_MORE ? HD_QUICK_MORE
                                 : HD_QUICK_NONE;
}

/* What a key means for the records in its slot. */
static inline struct hd_raw_shape hd_unpack_shape(uint64_t key)
{
    unsigned shape = hd_pack_shape(key), parts = hd_shape_parts(shape);
    bool memory = (parts & HD_PART_MEMORY) != 0;
    unsigned bits = memory ? 8 * hd_shape_size(shape) : 64;
    unsigned kind = hd_shape_kind(shape);
    bool branch = kind == HD_LOG_BRANCH;
    bool plain = kind == HD_LOG_READ || kind == HD_LOG_WRITE;
    bool clean = branch ? !(shape & HD_SHAPE_JOINED)
                        : (shape & (HD_SHAPE_SITE | HD_SHAPE_GUESS)) == HD_SHAPE_SITE;
    return (struct hd_raw_shape){
        .site = kind == HD_LOG_MORE ? 0 : key >> 16,
        .mask = UINT64_MAX >> (64 - bits),
        .size = (uint8_t)(bits / 8),
        .shape = (uint16_t)shape,
        .kind = (uint8_t)kind,
        .parts = (uint8_t)parts,
        .quick = (uint8_t)hd_unpack_class(kind, shape, parts),
        .points = memory && hd_shape_points(shape),
        .looks = memory && hd_shape_looks(shape),
        .plain = plain && !(kind == HD_LOG_WRITE && shape & HD_SHAPE_GUESS),
        .ends = (uint16_t)(1u | 1u << (memory ? hd_shape_size(shape) : 0)),
        .alone = key >> 16 && (branch || plain || parts & HD_PART_WIDE) && clean,
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
