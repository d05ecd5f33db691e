#include "base/alloc.h"
#include "trace/hdt/hdt_int.h"

#define FIRST_SITES 256u

struct hd_hdt_model *hd_hdt_model_new(void)
{
    struct hd_hdt_model *m = hd_calloc(1, sizeof *m);
    m->site_cap = FIRST_SITES;
    m->sites = hd_calloc(m->site_cap, sizeof *m->sites);
    return m;
}

void hd_hdt_model_free(struct hd_hdt_model *m)
{
    hd_free(m->sites, m->site_cap * sizeof *m->sites);
    hd_free(m, sizeof *m);
}

unsigned hd_hdt_define(struct hd_hdt_model *m, const struct hd_hdt_site *site)
{
    unsigned slot = m->next_slot;
    if (slot == m->site_cap) {
        size_t bytes = m->site_cap * sizeof *m->sites;
        m->sites = hd_realloc(m->sites, bytes, 2 * bytes);
        m->site_cap *= 2;
    }
    m->sites[slot] = *site;
    m->next_slot = (slot + 1) % HD_HDT_SITES;
    if (m->n_sites < HD_HDT_SITES)
        m->n_sites++;
    return slot;
}
