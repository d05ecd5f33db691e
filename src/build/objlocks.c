/* Locks that are part of an object, by the object's type: see rectypes.h. */
#include "build/walk.h"

#include <stdio.h>
#include <string.h>

struct seen {
    struct hd_walk *w;
    uint64_t linear; /* of the object */
    bool strict;     /* the memory may have been another object before */
};

static uint32_t name_id(struct hd_walk *w, const char *name)
{
    uint32_t id;
    if (hd_names_find(&w->objlocks.names, name, strlen(name), &id))
        return id;
    hd_u32vec_push(&w->objlocks.counts, 0);
    return hd_names_add(&w->objlocks.names, name, strlen(name));
}

static void see_lock(void *ctx, uint64_t offset, const char *name)
{
    struct seen *s = ctx;
    bool fresh;
    uint32_t id = name_id(s->w, name);
    uint32_t *slot = hd_map_put(&s->w->objlocks.locks, s->linear + offset, &fresh);
    if (fresh)
        *slot = id;
    else if (s->strict && *slot != id)
        *slot = UINT32_MAX; /* it is not known which of them it is */
}

void hd_walk_objlocks_see(struct hd_walk *w, const struct hd_region *g, uint64_t addr)
{
    uint32_t type;
    uint64_t offset;
    bool fresh;
    const struct hd_raw *rec = w->rec;
    if (!w->in.types.types.len || g->kind == HD_REGION_STATIC || !rec ||
        !(rec->aux & HD_LOG_SITE) || rec->kind > HD_LOG_RMW || rec->w[0] != addr)
        return;
    const struct hd_site *site = hd_walk_site(w, rec->site);
    if (!site || !(site->flags & HD_SITE_NAME_FIELD) ||
        !hd_rectypes_field(&w->in.types, hd_walk_site_name(w, rec->site), &type, &offset) ||
        offset > addr - g->start)
        return;
    struct seen s = {w, hd_region_linear(g, addr - offset), g->kind == HD_REGION_STACK};
    uint32_t *known = hd_map_put(&w->objlocks.objects, s.linear, &fresh);
    if (!fresh && *known == type)
        return;
    *known = type;
    hd_rectypes_locks(&w->in.types, type, see_lock, &s);
}

bool hd_walk_objlocks_name(struct hd_walk *w, const struct hd_region *g, uint64_t addr, char *out,
                           size_t size)
{
    uint32_t id;
    if (g->kind == HD_REGION_STATIC)
        return hd_rectypes_variable(&w->in.types, addr, out, size);
    if (!hd_map_get(&w->objlocks.locks, hd_region_linear(g, addr), &id) || id == UINT32_MAX)
        return false;
    snprintf(out, size, "%s", hd_names_text(&w->objlocks.names, id));
    return true;
}

void hd_walk_objlocks_number(struct hd_walk *w, const struct hd_region *g, uint64_t addr, char *out,
                             size_t size)
{
    bool fresh;
    size_t len = strlen(out);
    if (w->pass != HD_WALK_BUILD)
        return;
    uint32_t *number = hd_map_put(&w->objlocks.numbers, hd_region_linear(g, addr), &fresh);
    if (fresh) {
        uint32_t id = name_id(w, out); /* may move the counts */
        *number = ++w->objlocks.counts.data[id];
    }
    if (*number > 1)
        snprintf(out + len, size - len, "#%u", *number);
}

void hd_walk_objlocks_fini(struct hd_walk *w)
{
    hd_rectypes_fini(&w->in.types);
    hd_map_fini(&w->objlocks.objects);
    hd_map_fini(&w->objlocks.locks);
    hd_map_fini(&w->objlocks.numbers);
    hd_names_fini(&w->objlocks.names);
    hd_u32vec_fini(&w->objlocks.counts);
}
