/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/site_tables.h"
#include "rt/core/range_log.h"
#include "rt/core/rt.h"

#define MAX_TABLES 65536 /* those after them are logged at once */

struct table {
    uintptr_t base; /* address of its first site */
    uint64_t bytes; /* of its sites */
    const char *strings;
    uint64_t strings_size;
    bool told; /* logged, or too long for it */
};
static struct table tables[MAX_TABLES]; /* by address */
static unsigned n_tables;

/* Where the last sites that were asked for lie: code goes from file to file. */
#define RECENT 64
struct span {
    uintptr_t base;
    uint64_t bytes;
};
static struct span recent[RECENT]; /* by address of the site */

static void tell(struct table *t)
{
    uint64_t n = t->bytes / sizeof(struct hd_site), len = 8 + t->bytes + t->strings_size;
    t->told = true;
    if (len + 2 * HD_PACK_ROOM > HD_LOG_CHUNK)
        return; /* the reader calls such places by their address */
    uint8_t *to = hd_rt_log_begin(0, 0, t->base, len);
    if (!to)
        return;
    if (n)
        hd_rt_log_uses(t->base);
    hd_rt_memmove(to, &n, 8);
    hd_rt_memmove(to + 8, (const void *)t->base, t->bytes);
    hd_rt_memmove(to + 8 + t->bytes, t->strings, t->strings_size);
    hd_rt_log_end(HD_LOG_SITES, to + len);
}

/* How many tables begin at an address or before it. */
static unsigned up_to(uintptr_t at)
{
    unsigned low = 0, high = n_tables;
    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        if (tables[mid].base <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Of modules that are gone, whose addresses another one has now. */
static void forget(uintptr_t base, uint64_t bytes)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n_tables; i++) {
        const struct table *t = &tables[i];
        if (t->base >= base + bytes || base >= t->base + t->bytes)
            tables[kept++] = *t;
    }
    n_tables = kept;
    hd_rt_memset(recent, 0, sizeof recent);
}

static bool is_taken(uintptr_t base, uint64_t bytes)
{
    unsigned i = up_to(base + bytes - 1);
    return i && tables[i - 1].base + tables[i - 1].bytes > base;
}

void hd_rt_site_tables_add(const struct hd_module *m)
{
    struct table t = {.base = (uintptr_t)m->sites,
                      .bytes = (uint64_t)m->n_sites * sizeof *m->sites,
                      .strings = m->strings,
                      .strings_size = m->strings_size};
    if (!rt.pass)
        tell(&(struct table){.strings = ""}); /* of no site: the reader learns of the pass */
    rt.pass = true;
    if (!t.bytes)
        return;
    if (is_taken(t.base, t.bytes))
        forget(t.base, t.bytes);
    if (n_tables == MAX_TABLES) {
        tell(&t);
        return;
    }
    unsigned at = up_to(t.base);
    for (unsigned i = n_tables++; i > at; i--) /* they mostly come in order */
        tables[i] = tables[i - 1];
    tables[at] = t;
}

static __attribute__((noinline)) void find(uintptr_t at, struct span *to)
{
    unsigned i = up_to(at);
    if (!i || at - tables[i - 1].base >= tables[i - 1].bytes)
        return;
    if (!tables[i - 1].told)
        tell(&tables[i - 1]);
    *to = (struct span){tables[i - 1].base, tables[i - 1].bytes};
}

void hd_rt_log_site(const struct hd_site *site)
{
    uintptr_t at = (uintptr_t)site;
    struct span *last = &recent[at / 4096 % RECENT];
    if (at - last->base >= last->bytes)
        find(at, last);
}
