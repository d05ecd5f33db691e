#include "predict/index/candidates_int.h"

/* ---- all pairs of a group ---- */

/* Events of each kind. */
struct tally {
    uint64_t n[4];
};

/* Adds the classes of one thread from *i on, and moves *i behind them. */
static struct tally next_thread(const struct hd_candidates *c, const struct hd_place_site *site,
                                uint32_t *i)
{
    struct tally sum = {{0}};
    hd_tid u = hd_class_at(c, c->site_classes.data[*i])->thread;
    for (; *i < site->end; ++*i) {
        const struct hd_class *x = hd_class_at(c, c->site_classes.data[*i]);
        if (x->thread != u)
            break;
        sum.n[hd_candidates_kind(x->op)] += x->end - x->start;
    }
    return sum;
}

static hd_tid thread_at(const struct hd_candidates *c, const struct hd_place_site *site, uint32_t i)
{
    return i < site->end ? hd_class_at(c, c->site_classes.data[i])->thread : UINT32_MAX;
}

/* Pairs of two sites: all, but those of one thread. Classes of a site stand by thread. */
static uint64_t count_link(const struct hd_candidates *c, const struct hd_place_site *x,
                           const struct hd_place_site *y)
{
    struct tally all[2] = {{{0}}, {{0}}};
    uint64_t own[4][4] = {{0}}, pairs = 0;
    for (uint32_t i = x->start, k = y->start; i < x->end || k < y->end;) {
        hd_tid u = thread_at(c, x, i), v = thread_at(c, y, k), least = u < v ? u : v;
        struct tally p = {{0}}, q = {{0}};
        if (u == least)
            p = next_thread(c, x, &i);
        if (v == least)
            q = next_thread(c, y, &k);
        for (unsigned a = 0; a < 4; a++) {
            all[0].n[a] += p.n[a];
            all[1].n[a] += q.n[a];
            for (unsigned b = 0; b < 4; b++)
                own[a][b] += p.n[a] * q.n[b];
        }
    }
    for (unsigned a = 0; a < 4; a++)
        for (unsigned b = 0; b < 4; b++)
            if (hd_candidates_kinds_conflict(a, b))
                pairs += all[0].n[a] * all[1].n[b] - own[a][b];
    return x == y ? pairs / 2 : pairs;
}

static bool find_pair(const struct hd_candidates *c, const struct hd_place_site *x,
                      const struct hd_place_site *y, hd_eid pair[2])
{
    for (uint32_t i = x->start; i < x->end; i++)
        for (uint32_t k = y->start; k < y->end; k++) {
            const struct hd_class *p = hd_class_at(c, c->site_classes.data[i]);
            const struct hd_class *q = hd_class_at(c, c->site_classes.data[k]);
            pair[0] = c->events[p->start];
            pair[1] = c->events[q->start];
            if (p->thread != q->thread &&
                hd_candidates_kinds_conflict(hd_candidates_kind(p->op), hd_candidates_kind(q->op)))
                return true;
        }
    return false;
}

uint64_t hd_candidates_count(const struct hd_candidates *c, const struct hd_group *group,
                             hd_eid pair[2])
{
    uint64_t pairs = 0;
    bool found = false;
    for (uint32_t i = group->start; i < group->end; i++) {
        const struct hd_site_pair *link = hd_vec_at(&c->links, i);
        const struct hd_place_site *x = hd_site_at(c, link->x), *y = hd_site_at(c, link->y);
        pairs += count_link(c, x, y);
        if (!found)
            found = find_pair(c, x, y, pair);
    }
    return pairs;
}

/* ---- those that locks exclude ---- */

/* Accesses of one kind under one set of locks, at a site. */
struct part {
    uint32_t lockset;
    unsigned kind;
    hd_eid event; /* one of them */
};

/* A site with more parts than that is not counted in bulk. */
enum { MAX_PARTS = 32 };

struct parts {
    struct part list[MAX_PARTS];
    uint32_t n;
};

static uint32_t part_of(const struct parts *p, const struct hd_class *x)
{
    uint32_t i = 0;
    while (i < p->n &&
           (p->list[i].lockset != x->lockset || p->list[i].kind != hd_candidates_kind(x->op)))
        i++;
    return i;
}

static bool find_parts(const struct hd_candidates *c, const struct hd_place_site *site,
                       struct parts *out)
{
    out->n = 0;
    for (uint32_t i = site->start; i < site->end; i++) {
        const struct hd_class *x = hd_class_at(c, c->site_classes.data[i]);
        uint32_t at = part_of(out, x);
        if (at == MAX_PARTS)
            return false;
        if (at == out->n)
            out->list[out->n++] =
                (struct part){x->lockset, hd_candidates_kind(x->op), c->events[x->start]};
    }
    return true;
}

/* The accesses of one thread in each part, from class *i on; moves *i behind them. */
static void sum_thread(const struct hd_candidates *c, const struct hd_place_site *site,
                       const struct parts *parts, uint32_t *i, uint64_t *sums)
{
    hd_tid u = thread_at(c, site, *i);
    for (; thread_at(c, site, *i) == u && *i < site->end; ++*i) {
        const struct hd_class *x = hd_class_at(c, c->site_classes.data[*i]);
        sums[part_of(parts, x)] += x->end - x->start;
    }
}

/* How many pairs of different threads two parts have: all but those of one thread. */
struct link_sums {
    uint64_t x[MAX_PARTS], y[MAX_PARTS];
    uint64_t own[MAX_PARTS][MAX_PARTS];
};

static void sum_link(const struct hd_candidates *c, const struct hd_place_site *x,
                     const struct hd_place_site *y, const struct parts *px, const struct parts *py,
                     struct link_sums *out)
{
    *out = (struct link_sums){0};
    for (uint32_t i = x->start, k = y->start; i < x->end || k < y->end;) {
        hd_tid u = thread_at(c, x, i), v = thread_at(c, y, k), least = u < v ? u : v;
        uint64_t mine[MAX_PARTS] = {0}, others[MAX_PARTS] = {0};
        if (u == least)
            sum_thread(c, x, px, &i, mine);
        if (v == least)
            sum_thread(c, y, py, &k, others);
        for (uint32_t a = 0; a < px->n; a++) {
            out->x[a] += mine[a];
            for (uint32_t b = 0; b < py->n; b++)
                out->own[a][b] += mine[a] * others[b];
        }
        for (uint32_t b = 0; b < py->n; b++)
            out->y[b] += others[b];
    }
}

static bool count_locked(const struct hd_candidates *c, const struct hd_sections *s,
                         const struct hd_place_site *x, const struct hd_place_site *y,
                         uint64_t *pairs)
{
    struct parts px, py;
    struct link_sums sums;
    uint64_t locked = 0;
    if (!find_parts(c, x, &px) || !find_parts(c, y, &py))
        return false;
    sum_link(c, x, y, &px, &py, &sums);
    for (uint32_t a = 0; a < px.n; a++)
        for (uint32_t b = 0; b < py.n; b++)
            if (hd_candidates_kinds_conflict(px.list[a].kind, py.list[b].kind) &&
                hd_sections_sets_exclude(s, px.list[a].event, py.list[b].event))
                locked += sums.x[a] * sums.y[b] - sums.own[a][b];
    *pairs += x == y ? locked / 2 : locked;
    return true;
}

bool hd_candidates_locked(const struct hd_candidates *c, const struct hd_sections *s,
                          const struct hd_group *group, uint64_t *pairs)
{
    *pairs = 0;
    for (uint32_t i = group->start; i < group->end; i++) {
        const struct hd_site_pair *link = hd_vec_at(&c->links, i);
        if (!count_locked(c, s, hd_site_at(c, link->x), hd_site_at(c, link->y), pairs))
            return false;
    }
    return true;
}

/* ---- sites with a lock of their own ---- */

/* Locks that every access so far was made under, up to this many. */
enum { COMMON_LOCKS = 8 };

struct common {
    uint32_t lock[COMMON_LOCKS];
    uint32_t n;
};

static bool is_held(const struct hd_sections *s, uint32_t node, uint32_t lock)
{
    for (; node != HD_HELD_EMPTY; node = hd_held_at(s, node)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, node)->section);
        if (x->lock == lock && !x->shared)
            return true;
    }
    return false;
}

static struct common locks_of(const struct hd_sections *s, uint32_t node)
{
    struct common common = {.n = 0};
    for (; node != HD_HELD_EMPTY && common.n < COMMON_LOCKS; node = hd_held_at(s, node)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, node)->section);
        if (!x->shared)
            common.lock[common.n++] = x->lock;
    }
    return common;
}

/* Keeps the locks that all accesses of the site are made under, too. */
static void narrow(const struct hd_candidates *c, const struct hd_sections *s,
                   const struct hd_place_site *site, struct common *common)
{
    for (uint32_t i = site->start; i < site->end && common->n; i++) {
        const struct hd_class *x = hd_class_at(c, c->site_classes.data[i]);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < common->n; k++)
            if (is_held(s, x->held, common->lock[k]))
                common->lock[kept++] = common->lock[k];
        common->n = kept;
    }
}

bool hd_candidates_one_lock(const struct hd_candidates *c, const struct hd_sections *s,
                            const struct hd_group *group)
{
    for (uint32_t i = group->start; i < group->end; i++) {
        const struct hd_site_pair *link = hd_vec_at(&c->links, i);
        const struct hd_place_site *x = hd_site_at(c, link->x), *y = hd_site_at(c, link->y);
        struct common common = locks_of(s, hd_class_at(c, c->site_classes.data[x->start])->held);
        narrow(c, s, x, &common);
        if (link->x != link->y)
            narrow(c, s, y, &common);
        if (!common.n)
            return false;
    }
    return true;
}
