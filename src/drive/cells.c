#include "drive/cells.h"

#include "base/alloc.h"

#include <string.h>

void hd_cells_init(struct hd_cells *c)
{
    *c = (struct hd_cells){.last_key = UINT64_MAX};
    c->pages = HD_VEC_INIT(struct hd_cell_page);
}

void hd_cells_fini(struct hd_cells *c)
{
    for (size_t i = 0; i < c->pages.len; i++)
        hd_free(((struct hd_cell_page *)hd_vec_at(&c->pages, i))->ids,
                HD_CELL_PAGE * sizeof(uint32_t));
    hd_map_fini(&c->numbers);
    hd_vec_fini(&c->pages);
}

static struct hd_cell_page *page_of(struct hd_cells *c, uint64_t linear)
{
    uint64_t key = linear / HD_CELL_PAGE;
    if (key != c->last_key) {
        bool fresh;
        uint32_t *slot = hd_map_put(&c->numbers, key, &fresh);
        if (fresh) {
            *slot = (uint32_t)c->pages.len;
            *(struct hd_cell_page *)hd_vec_push(&c->pages) = (struct hd_cell_page){0};
        }
        c->last_key = key;
        c->last_page = *slot;
    }
    return (struct hd_cell_page *)c->pages.data + c->last_page;
}

/* The same; NULL when nothing was marked there. */
static const struct hd_cell_page *find_page(struct hd_cells *c, uint64_t linear)
{
    uint64_t key = linear / HD_CELL_PAGE;
    if (key != c->last_key) {
        if (!hd_map_get(&c->numbers, key, &c->last_page))
            return NULL;
        c->last_key = key;
    }
    return (struct hd_cell_page *)c->pages.data + c->last_page;
}

static void mark_one(struct hd_cells *c, uint64_t linear)
{
    page_of(c, linear)->edges |= UINT64_C(1) << linear % HD_CELL_PAGE;
}

void hd_cells_mark(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    mark_one(c, linear);
    mark_one(c, linear + len);
}

bool hd_cells_touch(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    bool first = !(page_of(c, linear)->touched >> linear % HD_CELL_PAGE & 1);
    while (len) {
        uint64_t at = linear % HD_CELL_PAGE, part = HD_CELL_PAGE - at;
        part = part < len ? part : len;
        page_of(c, linear)->touched |= UINT64_MAX >> (HD_CELL_PAGE - part) << at;
        linear += part;
        len -= part;
    }
    return first;
}

uint64_t hd_cells_next(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    uint64_t at = linear + 1, end = linear + len;
    while (at < end) {
        const struct hd_cell_page *page = find_page(c, at);
        uint64_t bits = page ? page->edges >> at % HD_CELL_PAGE : 0;
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
    struct hd_cell_page *page = page_of(c, linear);
    *fresh = false;
    if (!page->ids) {
        page->ids = hd_alloc(HD_CELL_PAGE * sizeof *page->ids);
        memset(page->ids, 0xff, HD_CELL_PAGE * sizeof *page->ids);
    }
    uint32_t *id = page->ids + linear % HD_CELL_PAGE;
    if (*id == HD_CELL_NONE) {
        *id = c->n_cells++;
        *fresh = true;
    }
    return *id;
}

uint32_t hd_cells_used(struct hd_cells *c, uint64_t linear, uint64_t end, uint64_t *at)
{
    while (linear < end) {
        const struct hd_cell_page *page = find_page(c, linear);
        const uint32_t *ids = page ? page->ids : NULL;
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
