/* Edges of a causality graph that many properties share: each edge carries the set of properties it
 * holds for. Inside predict/ only.
 *
 * A cell has the edges from one thread to one node: "so many events of the thread come before".
 * `all` holds for every property of the batch; the levels of the list, by falling count and each
 * for a set of its own, say more for some. An edge that a later one of the same thread implies is
 * not kept. With one property in the batch no cell has a level.
 */
#ifndef HD_PREDICT_UCG_UCG_EDGES_H
#define HD_PREDICT_UCG_UCG_EDGES_H

#include "base/vec.h"

#include <stdbool.h>

/* A set of properties of a batch, bit by bit. */
enum { HD_UCG_BATCH = 64 };

struct hd_ucg_cell {
    uint32_t all;
    uint32_t more; /* the first level, or 0 */
};

struct hd_ucg_level {
    uint64_t of; /* properties */
    uint32_t count;
    uint32_t next; /* or 0 */
};

struct hd_ucg_edges {
    struct hd_vec levels; /* struct hd_ucg_level; the first is not used */
    uint32_t unused;      /* a list of levels, or 0 */
    uint64_t alive;       /* properties that nothing contradicts yet */
    uint64_t work;        /* looks at cells and levels, so far */
};

/* One count of a cell and the properties it holds for. */
struct hd_ucg_part {
    uint64_t of;
    uint32_t count;
};

void hd_ucg_edges_init(struct hd_ucg_edges *g);
void hd_ucg_edges_fini(struct hd_ucg_edges *g);

/* For a new batch: every cell must be made anew. */
void hd_ucg_edges_clear(struct hd_ucg_edges *g, uint64_t alive);

static inline const struct hd_ucg_level *hd_ucg_level(const struct hd_ucg_edges *g, uint32_t i)
{
    return hd_vec_at(&g->levels, i);
}

/* At least `count` events, for these properties. True: that is new for one of them. */
bool hd_ucg_edges_raise_slowly(struct hd_ucg_edges *g, struct hd_ucg_cell *c, uint32_t count,
                               uint64_t of);

static inline bool hd_ucg_raise(struct hd_ucg_edges *g, struct hd_ucg_cell *c, uint32_t count,
                                uint64_t of)
{
    return count > c->all && hd_ucg_edges_raise_slowly(g, c, count, of);
}

/* Takes the levels of a cell that is of no use any more. */
void hd_ucg_cell_drop(struct hd_ucg_edges *g, struct hd_ucg_cell *c);

/* Raises c to the counts of `from` for these properties; returns whether c has changed. */
bool hd_ucg_edges_raise_cell(struct hd_ucg_edges *g, struct hd_ucg_cell *c, struct hd_ucg_cell from,
                             uint64_t of);

/* The counts of a cell for these properties, at most HD_UCG_BATCH of them. */
size_t hd_ucg_edges_parts(const struct hd_ucg_edges *g, struct hd_ucg_cell c, uint64_t of,
                          struct hd_ucg_part *parts);

/* Those of the properties that have more than `count`. */
uint64_t hd_ucg_edges_above(const struct hd_ucg_edges *g, struct hd_ucg_cell c, uint32_t count,
                            uint64_t of);

/* The count for one property; *same loses those that have another. */
uint32_t hd_ucg_edges_count(const struct hd_ucg_edges *g, struct hd_ucg_cell c, unsigned property,
                            uint64_t *same);

#endif
