/* Shared memory that one thread alone writes: what that thread reads there it wrote itself, in
 * every schedule, and no write of another thread can race with the read. So its own reads are no
 * events, as reads of private memory; its writes, and what others read, are. See
 * docs/algorithms/building.md, "Memory that one thread writes".
 *
 * The first walk finds the writer of each granule, and follows contents: a read that does not
 * return what is known to be there (before the first write, or after one that was not seen) makes
 * the rule void for the granule. Memory that hardly any other thread looks at is no carrier
 * (handed_memory.c): a skeleton would be full of its writes.
 */
#include "build/walk.h"

#define SEVERAL UINT32_MAX
#define MANY    4096 /* uses that make memory the writer's, but for moments */

/* ---- first walk ---- */

void hd_sole_writer_note(struct hd_walk *w, struct hd_cell_marks *marks, unsigned bits, bool writes)
{
    HD_DCHECK(w->pass == HD_WALK_MARK);
    uint32_t me = w->current + 1;
    for (unsigned i = 0; writes && bits >> i; i++)
        if (bits >> i & 1 && marks->writer[i] != me)
            marks->writer[i] = marks->writer[i] ? SEVERAL : me;
}

void hd_sole_writer_void(struct hd_cell_marks *marks, unsigned bits)
{
    for (unsigned i = 0; bits >> i; i++)
        if (bits >> i & 1)
            marks->writer[i] = SEVERAL;
}

/* One thread for each page: most have no more. */
static void settle_page(struct hd_cell_page *page, const struct hd_cell_marks *marks)
{
    page->sole = page->sole_of = 0;
    for (unsigned i = 0; i < HD_GRANULES; i++) {
        if (!(page->shared >> i & 1) || !marks->writer[i] || marks->writer[i] > UINT8_MAX)
            continue;
        if (!page->sole_of)
            page->sole_of = (uint8_t)marks->writer[i];
        if (page->sole_of == marks->writer[i])
            page->sole |= (uint8_t)(1u << i);
        if (marks->alone[i] > MANY)
            page->carrier &= (uint8_t) ~(1u << i);
    }
}

void hd_sole_writer_settle(struct hd_walk *w)
{
    for (size_t b = 0; w->info->from_pass && b < w->mem.cells.blocks.len; b++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&w->mem.cells.blocks, b);
        for (size_t k = 0; block->marks && k < HD_CELL_PAGES; k++)
            settle_page(&block->pages[k], &block->marks[k]);
    }
}

/* ---- walks that build ---- */

static bool has_long_set(struct hd_walk *w, uint64_t linear, uint64_t len)
{
    for (uint64_t at = 0, part; at < len; at += part)
        if (hd_depset_is_wide(&w->own.sets,
                              hd_cells_get(&w->mem.cells, linear + at, len - at, &part)))
            return true;
    return false;
}

bool hd_sole_writer_reads(struct hd_walk *w, const struct hd_raw *rec, uint64_t len)
{
    uint64_t room, addr = rec->w[0];
    bool reads =
        rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_AREAD;
    if (w->own.keep_all || !reads || !len || w->split.in_wide || w->in_parts)
        return false;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    if (len > room)
        return false;
    uint64_t linear = hd_region_linear(g, addr);
    for (uint64_t at = linear, part; at < linear + len; at += part) {
        const struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, at);
        uint64_t left = HD_CELL_PAGE - at % HD_CELL_PAGE, rest = linear + len - at;
        part = rest < left ? rest : left;
        if (!page || page->shared & hd_cell_granules(at % HD_CELL_PAGE, part) &
                         ~hd_sole_writer_mine(w, page))
            return false;
    }
    return !has_long_set(w, linear, len);
}

/* Where the value may depend on more than is listed the reads that follow are events. What depends
 * on nothing that is known stands behind a branch on all that was read. */
static uint32_t set_of(struct hd_walk *w, const struct hd_walk_access *a)
{
    const struct hd_u32vec *reads = &w->out.dep_reads[0];
    bool branched = !a->call && !(a->rec->aux & HD_LOG_SITE);
    if ((a->ev.deps.given && !a->ev.deps.n) || branched)
        return 0;
    bool listed = a->ev.deps.given && !a->own;
    return hd_depsets_put(&w->own.sets, w->current, reads->data,
                          listed ? reads->len : HD_DEPSET_MOST + 1);
}

void hd_sole_writer_wrote(struct hd_walk *w, const struct hd_walk_access *a, uint64_t linear)
{
    const struct hd_cell_page *page = hd_cells_page_if(&w->mem.cells, linear);
    if (!hd_op_writes(a->ev.op) || !page || !page->sole)
        return;
    hd_cells_set(&w->mem.cells, linear, hd_cells_next(&w->mem.cells, linear, UINT32_MAX),
                 set_of(w, a));
}
