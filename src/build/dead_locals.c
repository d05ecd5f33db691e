/* The end of a local's life, as free is the end of a block's: a write of all its memory, of no
 * value, by the thread whose local it is. So a use by another thread that no order keeps before the
 * end is a race. Memory that no other thread uses, or only behind an order by fork and join, is not
 * shared and makes no events. Argued in docs/algorithms/building.md, "Locals that end". */
#include "build/walk.h"

/* Is another thread concerned? Where all accesses are events, others used the stack. */
static bool matters(struct hd_walk *w, const struct hd_region *g, uint64_t linear, uint64_t len)
{
    return w->own.keep_all ? g->shared : hd_cells_shared(&w->mem.cells, linear, len);
}

static enum hd_status end_part(struct hd_walk *w, const struct hd_raw *rec,
                               const struct hd_region *g, uint64_t addr, uint64_t len)
{
    enum hd_status s = HD_OK;
    uint64_t linear = hd_region_linear(g, addr), end = linear + len;
    if (w->own.hand)
        hd_walk_hand_use(w, g, linear, len, NULL, true);
    while (s == HD_OK && linear < end) {
        uint64_t part = hd_cells_next(&w->mem.cells, linear, end - linear);
        struct hd_walk_access a = {.ev = {.op = HD_OP_WRITE}, .rec = rec};
        a.ev.deps.given = true;
        if (matters(w, g, linear, part)) {
            hd_walk_place_of(w, &a);
            s = hd_walk_touch_unknown(w, &a, g, g->start + (linear - g->linear));
        }
        linear += part;
    }
    return s;
}

enum hd_status hd_walk_local_ends(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t addr = rec->w[0], len = rec->w[1], room;
    enum hd_status s = HD_OK;
    if (w->pass == HD_WALK_MARK) {
        hd_walk_mark_local(w, rec);
        return HD_OK;
    }
    while (s == HD_OK && len) {
        const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        uint64_t part = len < room ? len : room;
        s = end_part(w, rec, g, addr, part);
        addr += part;
        len -= part;
    }
    return s;
}
