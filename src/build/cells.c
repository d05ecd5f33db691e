#include "build/cells.h"

#include "base/alloc.h"

#include <string.h>

#define BLOCK  ((uint64_t)HD_CELL_PAGE * HD_CELL_PAGES) /* bytes */
#define RECENT (sizeof((struct hd_cells *)0)->recent / sizeof(struct hd_cell_recent))
#define IDS    (HD_CELL_PAGE * sizeof(uint32_t))
#define MARKS  (HD_CELL_PAGES * sizeof(struct hd_cell_marks))

void hd_cells_init(struct hd_cells *c)
{
    *c = (struct hd_cells){.blocks = HD_VEC_INIT(struct hd_cell_block *)};
    for (size_t i = 0; i < RECENT; i++)
        c->recent[i].key = UINT64_MAX;
}

static void free_page(struct hd_cell_page *page)
{
    hd_free(page->ids, page->ids ? IDS : 0);
    hd_free(page->sets, page->sets ? IDS : 0);
}

void hd_cells_fini(struct hd_cells *c)
{
    for (size_t i = 0; i < c->blocks.len; i++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&c->blocks, i);
        for (size_t k = 0; k < HD_CELL_PAGES; k++)
            free_page(&block->pages[k]);
        hd_free(block->marks, block->marks ? MARKS : 0);
        hd_free(block, sizeof *block);
    }
    hd_map_fini(&c->numbers);
    hd_vec_fini(&c->blocks);
}

/* Block number key, made if it is to be; else NULL when nothing was marked there. */
static struct hd_cell_block *find_block(struct hd_cells *c, uint64_t key, bool make)
{
    uint32_t number;
    if (!hd_map_get(&c->numbers, key, &number)) {
        if (!make)
            return NULL;
        number = *hd_map_put(&c->numbers, key, NULL) = (uint32_t)c->blocks.len;
        struct hd_cell_block *made = hd_calloc(1, sizeof *made);
        made->key = key;
        *(struct hd_cell_block **)hd_vec_push(&c->blocks) = made;
    }
    return *(struct hd_cell_block **)hd_vec_at(&c->blocks, number);
}

/* NULL when nothing was marked there, unless it is to be made. */
static inline struct hd_cell_page *page_at(struct hd_cells *c, uint64_t linear, bool make)
{
    uint64_t key = linear / BLOCK;
    struct hd_cell_recent *recent = &c->recent[key % RECENT];
    if (recent->key != key) {
        struct hd_cell_block *block = find_block(c, key, make);
        if (!block)
            return NULL;
        *recent = (struct hd_cell_recent){key, block};
    }
    return &recent->block->pages[linear / HD_CELL_PAGE % HD_CELL_PAGES];
}

static struct hd_cell_page *page_of(struct hd_cells *c, uint64_t linear)
{
    return page_at(c, linear, true);
}

static void mark_one(struct hd_cells *c, uint64_t linear)
{
    page_of(c, linear)->edges |= UINT64_C(1) << linear % HD_CELL_PAGE;
}

void hd_cells_mark(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    uint64_t at = linear % HD_CELL_PAGE;
    if (len >= HD_CELL_PAGE - at) {
        mark_one(c, linear);
        mark_one(c, linear + len);
    } else {
        page_of(c, linear)->edges |= (UINT64_C(1) | UINT64_C(1) << len) << at;
    }
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
        const struct hd_cell_page *page = page_at(c, at, false);
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
    HD_DCHECK(page->edges >> linear % HD_CELL_PAGE & 1);
    *fresh = false;
    if (!page->ids) {
        page->ids = hd_alloc(IDS);
        memset(page->ids, 0xff, IDS);
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
        const struct hd_cell_page *page = page_at(c, linear, false);
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

/* ---- ownership ---- */

struct hd_cell_page *hd_cells_page(struct hd_cells *c, uint64_t linear,
                                   struct hd_cell_marks **marks)
{
    struct hd_cell_page *page = page_of(c, linear);
    struct hd_cell_block *block = c->recent[linear / BLOCK % RECENT].block;
    if (!block->marks)
        block->marks = hd_calloc(1, MARKS);
    *marks = &block->marks[linear / HD_CELL_PAGE % HD_CELL_PAGES];
    return page;
}

struct hd_cell_page *hd_cells_page_if(struct hd_cells *c, uint64_t linear)
{
    return page_at(c, linear, false);
}

bool hd_cell_marks_differ(const struct hd_cell_marks *m, unsigned at, unsigned len,
                          const uint8_t *bytes)
{
    uint64_t mask = UINT64_MAX >> (HD_CELL_PAGE - len) << at;
    if ((m->known & mask) == mask)
        return memcmp(m->bytes + at, bytes, len) != 0;
    for (unsigned i = 0; m->known & mask && i < len; i++)
        if (m->known >> (at + i) & 1 && m->bytes[at + i] != bytes[i])
            return true;
    return false;
}

bool hd_cell_marks_hold(const struct hd_cell_marks *m, unsigned at, unsigned len,
                        const uint8_t *bytes)
{
    uint64_t mask = UINT64_MAX >> (HD_CELL_PAGE - len) << at;
    return (m->known & mask) == mask && memcmp(m->bytes + at, bytes, len) == 0;
}

void hd_cell_marks_keep(struct hd_cell_marks *m, unsigned at, unsigned len, const uint8_t *bytes)
{
    uint64_t mask = UINT64_MAX >> (HD_CELL_PAGE - len) << at;
    if (!bytes) {
        m->known &= ~mask;
        return;
    }
    memcpy(m->bytes + at, bytes, len);
    m->known |= mask;
}

void hd_cells_drop_marks(struct hd_cells *c)
{
    for (size_t i = 0; i < c->blocks.len; i++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&c->blocks, i);
        hd_free(block->marks, block->marks ? MARKS : 0);
        block->marks = NULL;
    }
}

/* How many of len bytes from linear on are in its page. */
static uint64_t in_page(uint64_t linear, uint64_t len)
{
    uint64_t room = HD_CELL_PAGE - linear % HD_CELL_PAGE;
    return len < room ? len : room;
}

bool hd_cells_shared(struct hd_cells *c, uint64_t linear, uint64_t len)
{
    while (len) {
        uint64_t part = in_page(linear, len);
        const struct hd_cell_page *page = page_at(c, linear, false);
        if (page && page->shared & hd_cell_granules(linear % HD_CELL_PAGE, part))
            return true;
        linear += part;
        len -= part;
    }
    return false;
}

bool hd_cells_carries(struct hd_cells *c, uint64_t linear, uint64_t len, bool set)
{
    bool yes = false, fresh = false;
    while (len) {
        uint64_t part = in_page(linear, len);
        struct hd_cell_page *page = page_at(c, linear, set);
        unsigned bits = hd_cell_granules(linear % HD_CELL_PAGE, part);
        yes |= page && page->carries & bits;
        fresh |= page && bits & ~page->carries;
        if (set)
            page->carries |= (uint8_t)bits;
        linear += part;
        len -= part;
    }
    return set ? fresh : yes;
}

/* Each byte gets an entry of its own. */
static void spread_set(struct hd_cell_page *page)
{
    page->sets = hd_alloc(IDS);
    for (size_t i = 0; i < HD_CELL_PAGE; i++)
        page->sets[i] = page->set;
}

void hd_cells_set(struct hd_cells *c, uint64_t linear, uint64_t len, uint32_t set)
{
    while (len) {
        uint64_t part = in_page(linear, len), at = linear % HD_CELL_PAGE;
        struct hd_cell_page *page = page_at(c, linear, set != 0);
        linear += part;
        len -= part;
        if (!page || (!page->sets && page->set == set))
            continue;
        if (part == HD_CELL_PAGE) {
            hd_free(page->sets, page->sets ? IDS : 0);
            page->sets = NULL;
            page->set = set;
            continue;
        }
        if (!page->sets)
            spread_set(page);
        for (uint64_t i = at; i < at + part; i++)
            page->sets[i] = set;
    }
}

static uint32_t set_at(struct hd_cells *c, uint64_t linear, uint64_t len, uint64_t *part)
{
    uint64_t at = linear % HD_CELL_PAGE, n = 1;
    const struct hd_cell_page *page = page_at(c, linear, false);
    *part = in_page(linear, len);
    if (!page || !page->sets)
        return page ? page->set : 0;
    while (n < *part && page->sets[at + n] == page->sets[at])
        n++;
    *part = n;
    return page->sets[at];
}

uint32_t hd_cells_get(struct hd_cells *c, uint64_t linear, uint64_t len, uint64_t *part)
{
    uint64_t more;
    uint32_t set = set_at(c, linear, len, part);
    while (*part < len && set_at(c, linear + *part, len - *part, &more) == set)
        *part += more;
    return set;
}

void hd_cells_forget_sets(struct hd_cells *c)
{
    for (size_t i = 0; i < c->blocks.len; i++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&c->blocks, i);
        for (size_t k = 0; k < HD_CELL_PAGES; k++) {
            hd_free(block->pages[k].sets, block->pages[k].sets ? IDS : 0);
            block->pages[k].sets = NULL;
            block->pages[k].set = 0;
        }
    }
}

void hd_cells_forget_ids(struct hd_cells *c)
{
    for (size_t i = 0; i < c->blocks.len; i++) {
        struct hd_cell_block *block = *(struct hd_cell_block **)hd_vec_at(&c->blocks, i);
        for (size_t k = 0; k < HD_CELL_PAGES; k++) {
            hd_free(block->pages[k].ids, block->pages[k].ids ? IDS : 0);
            block->pages[k].ids = NULL;
            block->pages[k].carries = 0;
        }
    }
    c->n_cells = 0;
}

uint64_t hd_cells_value(const uint8_t *bytes, uint64_t len)
{
    if (len > 8)
        return hd_hash_bytes(bytes, len, 0);
    uint64_t v = 0;
    memcpy(&v, bytes, len);
    return v;
}
