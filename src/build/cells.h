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

#include <stdint.h>

#define HD_CELL_PAGE  64 /* bytes */
#define HD_CELL_PAGES 64 /* in a block */
#define HD_CELL_NONE  UINT32_MAX

struct hd_cells {
    struct hd_map numbers; /* linear address / bytes of a block -> block */
    struct hd_vec blocks;  /* struct hd_cell_block * */
    uint32_t n_cells;      /* ids are given in order of first use */
    struct hd_cell_recent {
        uint64_t key; /* as in numbers */
        struct hd_cell_block *block;
    } recent[64];
};

struct hd_cell_block {
    struct hd_cell_page {
        uint64_t edges;   /* bit i: a cell starts at byte i */
        uint64_t touched; /* bit i: hd_cells_touch met byte i */
        uint32_t *ids;    /* HD_CELL_PAGE of them, or NULL */
    } pages[HD_CELL_PAGES];
};

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

uint64_t hd_cells_value(const uint8_t *bytes, uint64_t len);

#endif
