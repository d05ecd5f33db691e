#include "predict/ucg/ucg_edges.h"

void hd_ucg_edges_init(struct hd_ucg_edges *g)
{
    *g = (struct hd_ucg_edges){.levels = HD_VEC_INIT(struct hd_ucg_level)};
}

void hd_ucg_edges_fini(struct hd_ucg_edges *g)
{
    hd_vec_fini(&g->levels);
}

void hd_ucg_edges_clear(struct hd_ucg_edges *g, uint64_t alive)
{
    g->levels.len = 0;
    g->unused = 0;
    g->alive = alive;
    *(struct hd_ucg_level *)hd_vec_push(&g->levels) = (struct hd_ucg_level){0};
}

static struct hd_ucg_level *level_at(struct hd_ucg_edges *g, uint32_t i)
{
    return hd_vec_at(&g->levels, i);
}

static uint32_t new_level(struct hd_ucg_edges *g)
{
    uint32_t i = g->unused;
    if (i) {
        g->unused = level_at(g, i)->next;
        return i;
    }
    hd_vec_push(&g->levels);
    return (uint32_t)g->levels.len - 1;
}

/* Takes the list from i on back. */
static void drop_list(struct hd_ucg_edges *g, uint32_t i)
{
    while (i) {
        uint32_t next = level_at(g, i)->next;
        level_at(g, i)->next = g->unused;
        g->unused = i;
        i = next;
    }
}

void hd_ucg_cell_drop(struct hd_ucg_edges *g, struct hd_ucg_cell *c)
{
    drop_list(g, c->more);
    c->more = 0;
}

/* What follows level `at`, or the head of the cell's list when `at` is 0. */
static uint32_t next_of(struct hd_ucg_edges *g, const struct hd_ucg_cell *c, uint32_t at)
{
    return at ? level_at(g, at)->next : c->more;
}

static void set_next(struct hd_ucg_edges *g, struct hd_ucg_cell *c, uint32_t at, uint32_t next)
{
    if (at)
        level_at(g, at)->next = next;
    else
        c->more = next;
}

/* Takes the properties away from the levels after `at`, and the levels that are left without any.
 * Returns all properties of what stays. */
static uint64_t take_away(struct hd_ucg_edges *g, struct hd_ucg_cell *c, uint32_t at, uint64_t of)
{
    uint64_t left = 0;
    for (uint32_t i = next_of(g, c, at); i; i = next_of(g, c, at)) {
        struct hd_ucg_level *l = level_at(g, i);
        l->of &= ~of;
        left |= l->of;
        if (l->of) {
            at = i;
            continue;
        }
        set_next(g, c, at, l->next);
        l->next = g->unused;
        g->unused = i;
    }
    return left;
}

/* Every living property has a level: the lowest holds for all. */
static void lift(struct hd_ucg_edges *g, struct hd_ucg_cell *c)
{
    uint32_t before = 0, last = c->more;
    while (level_at(g, last)->next) {
        before = last;
        last = level_at(g, last)->next;
    }
    c->all = level_at(g, last)->count;
    set_next(g, c, before, 0);
    drop_list(g, last);
}

bool hd_ucg_edges_raise_slowly(struct hd_ucg_edges *g, struct hd_ucg_cell *c, uint32_t count,
                               uint64_t of)
{
    uint64_t had = 0;
    g->work += 4;
    uint32_t at = 0, next = c->more; /* at: the last level with a higher count */
    for (; next && level_at(g, next)->count > count; next = level_at(g, next)->next) {
        had |= level_at(g, next)->of;
        at = next;
    }
    bool equal = next && level_at(g, next)->count == count;
    if (equal)
        had |= level_at(g, next)->of;
    of &= g->alive & ~had;
    if (!of)
        return false;
    if (!(g->alive & ~(had | of))) { /* no goal has less */
        c->all = count;
        set_next(g, c, at, 0);
        drop_list(g, next);
        return true;
    }
    if (equal) {
        level_at(g, next)->of |= of;
    } else {
        uint32_t fresh = new_level(g);
        *level_at(g, fresh) = (struct hd_ucg_level){of, count, next};
        set_next(g, c, at, fresh);
        next = fresh;
    }
    had |= of | take_away(g, c, next, of);
    if (!(g->alive & ~had))
        lift(g, c);
    return true;
}

bool hd_ucg_edges_raise_cell(struct hd_ucg_edges *g, struct hd_ucg_cell *c, struct hd_ucg_cell from,
                             uint64_t of)
{
    bool changed = hd_ucg_raise(g, c, from.all, of);
    for (uint32_t i = from.more; i; i = hd_ucg_level(g, i)->next, g->work++)
        changed |= hd_ucg_raise(g, c, hd_ucg_level(g, i)->count, hd_ucg_level(g, i)->of & of);
    return changed;
}

size_t hd_ucg_edges_parts(const struct hd_ucg_edges *g, struct hd_ucg_cell c, uint64_t of,
                          struct hd_ucg_part *parts)
{
    size_t n = 0;
    for (uint32_t i = c.more; i && of; i = hd_ucg_level(g, i)->next) {
        const struct hd_ucg_level *l = hd_ucg_level(g, i);
        if (l->of & of)
            parts[n++] = (struct hd_ucg_part){l->of & of, l->count};
        of &= ~l->of;
    }
    if (of)
        parts[n++] = (struct hd_ucg_part){of, c.all};
    return n;
}

uint64_t hd_ucg_edges_above(const struct hd_ucg_edges *g, struct hd_ucg_cell c, uint32_t count,
                            uint64_t of)
{
    uint64_t above = 0;
    if (c.all > count)
        return of;
    for (uint32_t i = c.more; i && hd_ucg_level(g, i)->count > count; i = hd_ucg_level(g, i)->next)
        above |= hd_ucg_level(g, i)->of & of;
    return above;
}

uint32_t hd_ucg_edges_count(const struct hd_ucg_edges *g, struct hd_ucg_cell c, unsigned property,
                            uint64_t *same)
{
    for (uint32_t i = c.more; i; i = hd_ucg_level(g, i)->next) {
        const struct hd_ucg_level *l = hd_ucg_level(g, i);
        if (l->of >> property & 1) {
            *same &= l->of;
            return l->count;
        }
        *same &= ~l->of;
    }
    return c.all;
}
