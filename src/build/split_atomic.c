/* Atomic accesses that cover several locations.
 *
 * docs/MODEL.md knows atomic accesses to one location only. Where cells split an atomic object, and
 * for objects of 16 bytes, every atomic access to the same 16 aligned bytes gets an exclusion (D29)
 * around its events: nothing else keeps others from coming in between.
 */
#include "build/walk.h"

static bool is_atomic(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_AREAD || rec->kind == HD_LOG_AWRITE || rec->kind == HD_LOG_RMW;
}

static uint64_t block_of(struct hd_walk *w, uint64_t addr)
{
    uint64_t room;
    return hd_region_linear(hd_regions_find(&w->mem.regions, addr, &room), addr & ~UINT64_C(15));
}

void hd_walk_wide_mark(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t room;
    if (rec->kind == HD_LOG_ACQ && HD_PSEUDO_KIND(rec->w[0]) == HD_PSEUDO_WIDE)
        hd_map_put(&w->split.wide, block_of(w, rec->w[0] & ~HD_PSEUDO(15, 0)), NULL);
    if (!is_atomic(rec) || (rec->aux & HD_LOG_SIZE) < 2)
        return;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, rec->w[0], &room);
    uint64_t linear = hd_region_linear(g, rec->w[0]);
    bool fresh;
    hd_map_put(&w->split.atomics, linear << 4 | (rec->aux & HD_LOG_SIZE), &fresh);
    if (fresh)
        *(struct hd_walk_atomic *)hd_vec_push(&w->split.atomic_list) =
            (struct hd_walk_atomic){linear, rec->aux & HD_LOG_SIZE, block_of(w, rec->w[0])};
}

void hd_walk_wide_settle(struct hd_walk *w)
{
    for (size_t i = 0; i < w->split.atomic_list.len; i++) {
        const struct hd_walk_atomic *a = hd_vec_at(&w->split.atomic_list, i);
        if (hd_cells_next(&w->mem.cells, a->linear, a->len) < a->len)
            hd_map_put(&w->split.wide, a->block, NULL);
    }
}

bool hd_walk_wide_is(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t value;
    return w->split.wide.len && !w->split.in_wide && is_atomic(rec) &&
           hd_map_get(&w->split.wide, block_of(w, rec->w[0]), &value);
}

static enum hd_status use_lock(struct hd_walk *w, const struct hd_raw *rec, bool take)
{
    struct hd_event ev = {
        .op = take ? HD_OP_ACQ : HD_OP_REL, .place = hd_walk_place(w, rec), .order = HD_ORDER_RLX};
    ev.obj = hd_walk_object(w, HD_OBJ_LOCK, HD_PSEUDO(HD_PSEUDO_WIDE, rec->w[0] & ~UINT64_C(15)));
    return hd_walk_emit(w, &ev);
}

/* All parts are read before one is changed: each new one may depend on every old one. */
static enum hd_status update(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_raw part = *rec;
    part.kind = HD_LOG_AREAD;
    w->in_parts = true;
    enum hd_status s = hd_walk_access(w, &part);
    w->in_parts = false;
    if (s != HD_OK)
        return s;
    uint32_t own = hd_walk_current(w)->steps; /* this record's id */
    part.kind = HD_LOG_RMW;
    part.val = hd_tok_join(rec->val, hd_tok_range(own, own));
    return hd_walk_access(w, &part);
}

enum hd_status hd_walk_wide_access(struct hd_walk *w, const struct hd_raw *rec)
{
    enum hd_status s = use_lock(w, rec, true);
    if (s == HD_OK)
        s = rec->kind == HD_LOG_RMW ? update(w, rec) : hd_walk_access(w, rec);
    return s == HD_OK ? use_lock(w, rec, false) : s;
}
