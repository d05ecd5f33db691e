/* Shadow memory: an id for each byte that is symbolic. Runs in the user's process; see rt.h.
 *
 * Pages are found in a hash table by address. __hd_sym_filter tells instrumented code that a page
 * cannot have symbolic bytes; an access of up to 8 bytes is looked up by the page of its first
 * byte, so a symbolic byte among the first 7 of a page counts for the page before as well. */
#include "rt/concolic/rt_sym.h"

#include <sys/mman.h>

#define PAGE  4096u
#define SLOTS (1u << 16)
#define SPILL 7u

struct page {
    uintptr_t number;
    uint32_t *ids;
};
static struct page pages[SLOTS]; /* open addressing; the last slots are never all used */
static unsigned n_pages;
static uint32_t in_slot[65536]; /* symbolic bytes that each byte of the filter stands for */

static struct page *find(uintptr_t number)
{
    size_t i = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
    while (pages[i].ids && pages[i].number != number)
        i = (i + 1) & (SLOTS - 1);
    return &pages[i];
}

uint32_t hd_rt_sym_byte(const void *p)
{
    uintptr_t a = (uintptr_t)p;
    if (!__hd_sym_filter[a / PAGE & 0xffff])
        return 0;
    struct page *page = find(a / PAGE);
    return page->ids ? page->ids[a % PAGE] : 0;
}

bool hd_rt_sym_has_page(const void *p)
{
    return find((uintptr_t)p / PAGE)->ids != NULL;
}

static void count(uintptr_t page, int by)
{
    uint32_t *n = &in_slot[page & 0xffff];
    *n += (uint32_t)by;
    __hd_sym_filter[page & 0xffff] = *n != 0;
}

void hd_rt_sym_set_byte(const void *p, uint32_t id)
{
    uintptr_t a = (uintptr_t)p;
    if (!id && !__hd_sym_filter[a / PAGE & 0xffff])
        return;
    struct page *page = find(a / PAGE);
    if (!page->ids) {
        if (!id || n_pages > SLOTS / 2)
            return;
        void *ids = hd_rt_mmap(NULL, PAGE * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ids == MAP_FAILED)
            return;
        *page = (struct page){a / PAGE, ids};
        n_pages++;
    }
    int by = (id != 0) - (page->ids[a % PAGE] != 0);
    page->ids[a % PAGE] = id;
    if (!by)
        return;
    count(a / PAGE, by);
    if (a % PAGE < SPILL)
        count(a / PAGE - 1, by);
}

/* The byte's id, after dropping one that is out of date. */
static uint32_t fresh_byte(const uint8_t *p, uint8_t actual)
{
    uint32_t id = hd_rt_sym_byte(p);
    if (!id || (uint8_t)hd_rt_sym_node(id)->value == actual)
        return id;
    hd_rt_sym_set_byte(p, 0);
    hd_rt_sym_lost(HD_SYM_LOST_STALE);
    return 0;
}

uint32_t hd_rt_sym_bytes(const void *p, unsigned n, uint64_t value)
{
    uint32_t ids[8];
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        ids[i] = fresh_byte((const uint8_t *)p + i, (uint8_t)(value >> 8 * i));
        any |= ids[i] != 0;
    }
    if (!any)
        return 0;
    uint32_t id = 0;
    for (unsigned i = n; i-- > 0;) {
        uint32_t byte = ids[i] ? ids[i] : hd_rt_sym_const(8, value >> 8 * i);
        if (i == n - 1)
            id = byte;
        else if (hd_rt_sym_node(id)->op == HD_SYM_CONST && !ids[i])
            id = hd_rt_sym_const(8 * (n - i), value >> 8 * i);
        else
            id = hd_rt_sym_make(HD_SYM_CONCAT, 8 * (n - i), id, byte, 0, value >> 8 * i);
        if (!id)
            return 0;
    }
    return id;
}

void hd_rt_sym_set_bytes(const void *p, unsigned n, uint32_t id)
{
    unsigned width = id ? hd_rt_sym_node(id)->width : 0;
    if (id && width < 8 * n)
        id = hd_rt_sym_make(HD_SYM_ZEXT, 8 * n, id, 0, 0, hd_rt_sym_node(id)->value);
    for (unsigned i = 0; i < n; i++) {
        uint32_t byte = id ? hd_rt_sym_extract(id, 8 * i, 8) : 0;
        if (byte && hd_rt_sym_node(byte)->op == HD_SYM_CONST)
            byte = 0;
        hd_rt_sym_set_byte((const uint8_t *)p + i, byte);
    }
}

bool hd_rt_sym_any(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t a = (uintptr_t)p + i;
        if (!__hd_sym_filter[a / PAGE & 0xffff])
            i += PAGE - 1 - a % PAGE; /* the rest of this page */
        else if (hd_rt_sym_byte((const uint8_t *)p + i))
            return true;
    }
    return false;
}

void hd_rt_sym_copy(const void *to, const void *from, size_t n)
{
    bool up = (uintptr_t)to < (uintptr_t)from;
    if (!hd_rt_sym_any(from, n) && !hd_rt_sym_any(to, n))
        return;
    for (size_t k = 0; k < n; k++) {
        size_t i = up ? k : n - 1 - k;
        hd_rt_sym_set_byte((const uint8_t *)to + i, hd_rt_sym_byte((const uint8_t *)from + i));
    }
}

uint32_t *hd_rt_sym_lift(const void *p, size_t n)
{
    if (!hd_rt_sym_any(p, n))
        return NULL;
    void *room = hd_rt_mmap(NULL, n * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *ids = room == MAP_FAILED ? NULL : room;
    if (!ids)
        hd_rt_sym_lost(HD_SYM_LOST_FULL);
    for (size_t i = 0; i < n; i++) {
        if (ids)
            ids[i] = hd_rt_sym_byte((const uint8_t *)p + i);
        hd_rt_sym_set_byte((const uint8_t *)p + i, 0);
    }
    return ids;
}

void hd_rt_sym_put(const void *p, size_t n, uint32_t *ids)
{
    for (size_t i = 0; i < n; i++)
        hd_rt_sym_set_byte((const uint8_t *)p + i, ids[i]);
    hd_rt_munmap(ids, n * sizeof(uint32_t));
}

/* ---- hooks ---- */

HD_EXPORT uint32_t __hd_sym_load(void *p, uint32_t n, uint32_t addr, uint64_t value)
{
    uint32_t id = 0;
    if (!hd_rt_sym.on)
        return 0;
    hd_rt_sym.header->hooks++;
    if (addr) {
        if (hd_rt_sym_read_at(p, n, addr, &id))
            return id;
        hd_rt_sym_fix(addr);
    }
    return hd_rt_sym_bytes(p, n, value);
}

HD_EXPORT void __hd_sym_store(void *p, uint32_t n, uint32_t addr, uint32_t id, uint64_t value)
{
    if (!hd_rt_sym.on)
        return;
    hd_rt_sym.header->hooks++;
    if (addr) {
        if (hd_rt_sym_write_at(p, n, addr, id, value))
            return;
        hd_rt_sym_fix(addr);
    }
    hd_rt_sym_set_bytes(p, n, id);
}

void hd_rt_sym_clear(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t a = (uintptr_t)p + i;
        if (__hd_sym_filter[a / PAGE & 0xffff])
            hd_rt_sym_set_byte((const void *)a, 0);
        else
            i += PAGE - 1 - a % PAGE; /* the rest of this page */
    }
}

HD_EXPORT void __hd_sym_clear(void *p, uint64_t n)
{
    if (hd_rt_sym.on)
        hd_rt_sym_clear(p, n);
}

HD_EXPORT void __hd_sym_lost(void *p, uint64_t n, uint32_t why)
{
    if (hd_rt_sym.on && hd_rt_sym_any(p, n))
        hd_rt_sym_lost((enum hd_sym_lost)why);
}

HD_EXPORT void __hd_sym_drop(uint32_t why)
{
    hd_rt_sym_lost((enum hd_sym_lost)why);
}

HD_EXPORT void __hd_sym_copy(void *to, void *from, uint64_t n, uint32_t to_id, uint32_t from_id,
                             uint32_t n_id)
{
    if (!hd_rt_sym.on)
        return;
    hd_rt_sym_fix(to_id);
    hd_rt_sym_fix(from_id);
    hd_rt_sym_fix(n_id);
    hd_rt_sym_copy(to, from, n);
}

HD_EXPORT void __hd_sym_block(void *to, uint64_t n, void *from)
{
    if (from && hd_rt_sym.on)
        hd_rt_sym_copy(to, from, n);
    else
        __hd_sym_clear(to, n);
}

HD_EXPORT void __hd_sym_fill(void *to, uint32_t byte, uint64_t n, uint32_t to_id, uint32_t id,
                             uint32_t n_id)
{
    (void)byte;
    if (!hd_rt_sym.on)
        return;
    hd_rt_sym_fix(to_id);
    hd_rt_sym_fix(n_id);
    if (!id && !hd_rt_sym_any(to, n))
        return;
    uint32_t low = id ? hd_rt_sym_extract(id, 0, 8) : 0;
    for (uint64_t i = 0; i < n; i++)
        hd_rt_sym_set_byte((uint8_t *)to + i, low);
}
