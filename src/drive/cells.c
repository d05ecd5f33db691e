#include "drive/cells.h"

#include "base/alloc.h"

#include <string.h>

void hd_cells_init(struct hd_cells *c)
{
    *c = (struct hd_cells){.last_key = UINT64_MAX};
    c->edges = HD_VEC_INIT(uint64_t);
    c->ids = HD_VEC_INIT(uint32_t *);
}

void hd_cells_fini(struct hd_cells *c)
{
    for (size_t i = 0; i < c->ids.len; i++)
        hd_free(*(uint32_t **)hd_vec_at(&c->ids, i), HD_CELL_PAGE * sizeof(uint32_t));
    hd_map_fini(&c->pages);
    hd_vec_fini(&c->edges);
    hd_vec_fini(&c->ids);
}

static uint32_t page_of(struct hd_cells *c, uint64_t linear)
{
    uint64_t key = linear / HD_CELL_PAGE;
    if (key == c->last_key)
        return c->last_page;
    bool fresh;
    uint32_t *slot = hd_map_put(&c->pages, key, &fresh);
    if (fresh) {
        *slot = (uint32_t)c->edges.len;
        *(uint64_t *)hd_vec_push(&c->edges) = 0;
        *(uint32_t **)hd_vec_push(&c->ids) = NULL;
    }
    c->last_key = key;
    c->last_page = *slot;
    return *slot;
}

static void mark_one(struct hd_cells *c, uint64_t linear)
{
    uint64_t *edges = hd_vec_at(&c->edges, page_of(c, linear));
    *edges |= UINT64_C(1) << linear % HD_CELL_PAGE;
}

void hd_cells_mark(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    mark_one(c, linear);
    mark_one(c, linear + len);
}

uint64_t hd_cells_next(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    uint64_t at = linear + 1, end = linear + len;
    while (at < end) {
        uint32_t page;
        uint64_t bits = 0;
        if (hd_map_get(&c->pages, at / HD_CELL_PAGE, &page))
            bits = *(uint64_t *)hd_vec_at(&c->edges, page) >> at % HD_CELL_PAGE;
        if (bits) {
            at += (uint64_t)__builtin_ctzll(bits);
            return at < end ? at - linear : len;
        }
        at = (at / HD_CELL_PAGE + 1) * HD_CELL_PAGE;
    }
    return len;
}

uint32_t hd_cells_id(struct hd_cells *c, uint64_t linear, bool *fresh)
{
    uint32_t **ids = hd_vec_at(&c->ids, page_of(c, linear));
    *fresh = false;
    if (!*ids) {
        *ids = hd_alloc(HD_CELL_PAGE * sizeof **ids);
        memset(*ids, 0xff, HD_CELL_PAGE * sizeof **ids);
    }
    uint32_t *id = *ids + linear % HD_CELL_PAGE;
    if (*id == HD_CELL_NONE) {
        *id = c->n_cells++;
        *fresh = true;
    }
    return *id;
}

uint32_t hd_cells_used(struct hd_cells *c, uint64_t linear, uint64_t end, uint64_t *at)
{
    while (linear < end) {
        uint32_t page;
        uint32_t *ids = NULL;
        if (hd_map_get(&c->pages, linear / HD_CELL_PAGE, &page))
            ids = *(uint32_t **)hd_vec_at(&c->ids, page);
        uint64_t stop = (linear / HD_CELL_PAGE + 1) * HD_CELL_PAGE;
        for (; ids && linear < stop && linear < end; linear++) {
            if (ids[linear % HD_CELL_PAGE] != HD_CELL_NONE) {
                *at = linear;
                return ids[linear % HD_CELL_PAGE];
            }
        }
        linear = stop;
    }
    return HD_CELL_NONE;
}

uint64_t hd_cells_value(const uint8_t *bytes, uint64_t len)
{
    if (len > 8)
        return hd_hash_bytes(bytes, len, 0);
    uint64_t v = 0;
    memcpy(&v, bytes, len);
    return v;
}
