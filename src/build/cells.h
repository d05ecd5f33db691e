/* Cells: how bytes become the locations of docs/MODEL.md.
 *
 * A cell is a run of bytes that every access of the whole log covers completely or not at all: its
 * ends are the ends of accesses. So two accesses overlap exactly if they share a cell, whatever
 * their sizes. A field that is always accessed whole is one cell; where sizes mix, a wide access
 * becomes one event for each cell. Its value is its bytes as a number (up to 8) or a hash of them
 * (longer cells).
 *
 * Addresses here are linear (regions.h). First mark all accesses, then split.
 */
#ifndef HD_BUILD_CELLS_H
#define HD_BUILD_CELLS_H

#include "base/hash.h"
#include "base/vec.h"
#include "trace/owner.h"

#include <stdint.h>

#define HD_CELL_PAGE  64 /* bytes */
#define HD_CELL_PAGES 64 /* in a block */
#define HD_CELL_NONE  UINT32_MAX
#define HD_GRANULE    8 /* bytes that have one owner */
#define HD_GRANULES   (HD_CELL_PAGE / HD_GRANULE)

struct hd_cells {
    struct hd_map numbers; /* linear address / bytes of a block -> block */
    struct hd_vec blocks;  /* struct hd_cell_block * */
    uint32_t n_cells;      /* ids are given in order of first use */
    struct hd_cell_recent {
        uint64_t key; /* as in numbers */
        struct hd_cell_block *block;
    } recent[64];
};

/* What only the first walk knows of a page. */
struct hd_cell_marks {
    struct hd_owner own[HD_GRANULES];
    uint32_t writer[HD_GRANULES]; /* sole_writer.c: the thread that writes it, from 1; 0: none */
    int32_t alone[HD_GRANULES];   /* the same: uses by that thread, less so many of others */
    uint8_t weak;                 /* by granule: weak atomic accesses were seen */
    uint8_t bytes[HD_CELL_PAGE];  /* contents, where `known` */
    uint64_t known;               /* bit i: byte i */
};

struct hd_cell_block {
    struct hd_cell_page {
        uint64_t edges;   /* bit i: a cell starts at byte i */
        uint64_t touched; /* bit i: hd_cells_touch met byte i */
        uint32_t *ids;    /* HD_CELL_PAGE of them, or NULL */
        uint32_t *sets;   /* by byte: see hd_cells_set; or NULL: all `set` */
        uint32_t set;
        uint8_t shared;     /* by granule, a bit each: it is shared */
        uint8_t in_section; /* it was touched under a lock or in a block that is meant atomic */
        uint8_t passed;     /* it went from thread to thread */
        uint8_t carries;    /* what it holds matters to another thread than the writer's */
        uint8_t carrier;    /* handed_memory.c: what is read there may order threads */
        uint8_t loose;      /* it is shared, and not in the skeleton */
        uint8_t spoilt;     /* loose, and not looked at */
        uint8_t suspect;    /* loose, and it may not be handed over: sieve.c counts with it */
        uint8_t given;      /* it is shared, as the first walk found it */
        uint8_t tainted;    /* sieve.c: it may hold what depends on shared memory */
        uint8_t sole;       /* one thread alone writes it: sole_writer.c */
        uint8_t sole_of;    /* that thread, from 1 */
    } pages[HD_CELL_PAGES];
    uint64_t key;                /* as in numbers */
    struct hd_cell_marks *marks; /* by page, or NULL */
};

/* Bits of the granules that hold bytes [at, at + len) of a page; len is not 0. */
static inline unsigned hd_cell_granules(uint64_t at, uint64_t len)
{
    unsigned first = (unsigned)(at / HD_GRANULE), last = (unsigned)((at + len - 1) / HD_GRANULE);
    return (2u << last) - (1u << first);
}

/* Do these bytes of the page hold something else, as far as is known? */
bool hd_cell_marks_differ(const struct hd_cell_marks *m, unsigned at, unsigned len,
                          const uint8_t *bytes);
/* Is it known that they hold this? */
bool hd_cell_marks_hold(const struct hd_cell_marks *m, unsigned at, unsigned len,
                        const uint8_t *bytes);
/* They hold this from here on. NULL: not known what. */
void hd_cell_marks_keep(struct hd_cell_marks *m, unsigned at, unsigned len, const uint8_t *bytes);

void hd_cells_init(struct hd_cells *c);
void hd_cells_fini(struct hd_cells *c);
void hd_cells_mark(struct hd_cells *c, uint64_t linear, uint64_t len);
/* Notes that these bytes were accessed. Whether the first one was not before. */
bool hd_cells_touch(struct hd_cells *c, uint64_t linear, uint64_t len);
/* Bytes from linear to the end of its cell, at most len. */
uint64_t hd_cells_next(struct hd_cells *c, uint64_t linear, uint64_t len);
/* The id of the cell that starts at linear; *fresh: it is new. */
uint32_t hd_cells_id(struct hd_cells *c, uint64_t linear, bool *fresh);
/* The next cell with an id in [linear, end), or HD_CELL_NONE; *at: its start. */
uint32_t hd_cells_used(struct hd_cells *c, uint64_t linear, uint64_t end, uint64_t *at);

/* First walk. The page of linear, and what is known of it. */
struct hd_cell_page *hd_cells_page(struct hd_cells *c, uint64_t linear,
                                   struct hd_cell_marks **marks);
/* The page of linear, or NULL when nothing was marked there. */
struct hd_cell_page *hd_cells_page_if(struct hd_cells *c, uint64_t linear);
void hd_cells_drop_marks(struct hd_cells *c); /* the first walk is over */

/* Is a granule of these bytes shared? */
bool hd_cells_shared(struct hd_cells *c, uint64_t linear, uint64_t len);
/* Does one of them carry? With `set` they do from here on: whether that is new. */
bool hd_cells_carries(struct hd_cells *c, uint64_t linear, uint64_t len, bool set);

/* On what the contents of bytes in no event depend: sets of trace/depset.h. */
void hd_cells_set(struct hd_cells *c, uint64_t linear, uint64_t len, uint32_t set);
/* The set of the first byte; *part: how many of the len bytes have the same. */
uint32_t hd_cells_get(struct hd_cells *c, uint64_t linear, uint64_t len, uint64_t *part);
void hd_cells_forget_sets(struct hd_cells *c);
void hd_cells_forget_ids(struct hd_cells *c); /* and what carries */

uint64_t hd_cells_value(const uint8_t *bytes, uint64_t len);

#endif
