/* Which piece of memory an address belongs to, at the present point of the log.
 *
 * Heap blocks, stacks and mappings come and go; everything else (globals, thread-local data of
 * modules) is the one static region. Each region gets its own stretch of a linear space that never
 * overlaps another, also when addresses are used again: a linear address is one byte of one life of
 * memory. A freed block keeps its addresses until another block gets them, so that late accesses
 * find it. Shared mappings of one object (a file, a segment) are views of it: the bytes of the
 * object have a stretch of their own, so that one byte has one linear address wherever it is seen.
 */
#ifndef HD_BUILD_REGIONS_H
#define HD_BUILD_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_region_kind { HD_REGION_STATIC, HD_REGION_HEAP, HD_REGION_STACK, HD_REGION_MAP };

struct hd_region {
    uint64_t start, end; /* addresses */
    uint64_t linear;     /* of start */
    uint32_t number;     /* heap, map: counted from 1; stack: thread; view: object */
    uint64_t offset;     /* of start in the object (view), or in what was mapped (map) */
    uint8_t kind;        /* enum hd_region_kind */
    bool freed;
    bool again;      /* something else was at these addresses before */
    bool gone;       /* its addresses belong to something else now */
    bool shared;     /* more than one thread touched it, or a view */
    bool view;       /* of an object that may be seen at other addresses, too */
    bool inherited;  /* a view that a forked child began with */
    uint32_t thread; /* the first that did; UINT32_MAX: none */
    struct hd_region *left, *right;
    uint64_t rank; /* heap order of the treap */
    struct hd_region *next_made;
};

struct hd_regions {
    struct hd_region *root;
    struct hd_region static_region;
    struct hd_region *made, **made_end; /* all, in order of creation */
    struct hd_region *again;            /* second and later passes: the next one to reuse */
    uint64_t linear_end;
    uint32_t n_heap, n_map;
    uint64_t rng;
    /* Answers of hd_regions_find, by address. A region is one until it is gone; gaps between
     * regions are forgotten when something beside them changes. */
    struct hd_region **recent;
    size_t n_recent; /* a power of two */
    size_t n_made;
    struct hd_region_gap {
        uint64_t start, end;
    } gaps[16];
    struct hd_region_view { /* what the next mapping shows */
        uint64_t start, object, offset;
        bool any, inherited;
    } view;
    uint64_t change;     /* counts from 1 */
    uint64_t changed[2]; /* the last change was here: from, to */
};

void hd_regions_init(struct hd_regions *r);
void hd_regions_fini(struct hd_regions *r);
/* Starts the same log again: regions come back in the same order, with what was noted in them. */
void hd_regions_rewind(struct hd_regions *r);
struct hd_region *hd_regions_add(struct hd_regions *r, enum hd_region_kind kind, uint64_t start,
                                 uint64_t len, uint32_t thread);
/* The mapping that is added next, if it is at start, shows the object from offset on. */
void hd_regions_view(struct hd_regions *r, uint64_t start, uint64_t object, uint64_t offset,
                     bool inherited);
void hd_regions_cut(struct hd_regions *r, uint64_t start, uint64_t len); /* unmapped */
/* The region of addr; *room: bytes from addr to the end of it. Never NULL. */
struct hd_region *hd_regions_find(struct hd_regions *r, uint64_t addr, uint64_t *room);
/* The addresses around addr that belong to its region, as far as is known at once. */
void hd_regions_span(struct hd_regions *r, uint64_t addr, uint64_t *start, uint64_t *end);
struct hd_region *hd_regions_block(struct hd_regions *r,
                                   uint64_t start); /* live heap block or NULL */

static inline uint64_t hd_region_linear(const struct hd_region *g, uint64_t addr)
{
    return g->linear + (addr - g->start);
}

#endif
