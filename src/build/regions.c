#include "build/regions.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/hash.h"

#include <string.h>

#define STATIC_SPAN  (UINT64_C(1) << 48) /* user addresses have 47 bits */
#define RECENT_LEAST 1024
#define RECENT_MOST  (1u << 20)
#define VIEWS        (UINT64_C(1) << 63) /* objects: each its number, then so many bits of offset */
#define VIEW_BITS    44
#define ALIGNED      UINT64_C(16) /* linear addresses are like addresses below this */

void hd_regions_init(struct hd_regions *r)
{
    *r = (struct hd_regions){.linear_end = STATIC_SPAN, .change = 1};
    r->static_region = (struct hd_region){.end = STATIC_SPAN, .thread = UINT32_MAX, .shared = true};
    r->made_end = &r->made;
    r->n_recent = RECENT_LEAST;
    r->recent = hd_calloc(r->n_recent, sizeof *r->recent);
}

void hd_regions_fini(struct hd_regions *r)
{
    while (r->made) {
        struct hd_region *next = r->made->next_made;
        hd_free(r->made, sizeof *r->made);
        r->made = next;
    }
    hd_free(r->recent, r->n_recent * sizeof *r->recent);
    r->recent = NULL;
}

void hd_regions_rewind(struct hd_regions *r)
{
    r->root = NULL;
    r->change++;
    r->again = r->made;
    memset(r->gaps, 0, sizeof r->gaps);
    memset(r->recent, 0, r->n_recent * sizeof *r->recent);
    for (struct hd_region *g = r->made; g; g = g->next_made)
        g->left = g->right = NULL;
    r->n_heap = r->n_map = 0;
    r->view.any = false;
}

/* Splits t: *low gets what starts below addr, *high the rest. */
static void split(struct hd_region *t, uint64_t addr, struct hd_region **low,
                  struct hd_region **high)
{
    while (t) {
        if (t->start < addr) {
            *low = t;
            low = &t->right;
            t = t->right;
        } else {
            *high = t;
            high = &t->left;
            t = t->left;
        }
    }
    *low = *high = NULL;
}

static struct hd_region *merge(struct hd_region *a, struct hd_region *b)
{
    struct hd_region *root = NULL, **at = &root;
    while (a && b) {
        if (a->rank > b->rank) {
            *at = a;
            at = &a->right;
            a = a->right;
        } else {
            *at = b;
            at = &b->left;
            b = b->left;
        }
    }
    *at = a ? a : b;
    return root;
}

static struct hd_region *last_below(struct hd_region *t, uint64_t addr)
{
    struct hd_region *best = NULL;
    while (t) {
        if (t->start < addr) {
            best = t;
            t = t->right;
        } else {
            t = t->left;
        }
    }
    return best;
}

static void set_gone(struct hd_region *t)
{
    for (; t; t = t->right) {
        t->gone = true;
        set_gone(t->left);
    }
}

/* The regions of t go, and [start, end) changes. */
static void forget_gaps(struct hd_regions *r, uint64_t start, uint64_t end,
                        const struct hd_region *t)
{
    for (; t; t = t->right)
        end = end > t->end ? end : t->end;
    r->changed[0] = start;
    r->changed[1] = end;
    for (size_t i = 0; i < sizeof r->gaps / sizeof *r->gaps; i++)
        if (r->gaps[i].start <= end && r->gaps[i].end >= start)
            r->gaps[i] = (struct hd_region_gap){0, 0};
}

#ifdef HD_DEBUG
/* In the order of their addresses regions do not overlap, none of them is gone, and no child ranks
 * above its parent. Answers where the last one ends. */
static uint64_t check(const struct hd_region *t, uint64_t from)
{
    if (!t)
        return from;
    HD_ASSERT(!t->left || t->left->rank <= t->rank);
    HD_ASSERT(!t->right || t->right->rank <= t->rank);
    from = check(t->left, from);
    HD_ASSERT(from <= t->start && t->start < t->end && !t->gone);
    return check(t->right, t->end);
}
#endif

/* Where a region that starts there is, or would be a leaf; *fits: none of the others reaches
 * into [start, end), and nothing of that one stays. */
static struct hd_region **find_place(struct hd_regions *r, uint64_t start, uint64_t end, bool *fits)
{
    struct hd_region **at = &r->root;
    const struct hd_region *before = NULL, *after = NULL;
    while (*at && (*at)->start != start) {
        if ((*at)->start < start) {
            before = *at;
            at = &(*at)->right;
        } else {
            after = *at;
            at = &(*at)->left;
        }
    }
    for (const struct hd_region *t = *at ? (*at)->right : NULL; t; t = t->left)
        after = t;
    *fits = (!after || after->start >= end) && (*at || !before || before->end <= start) &&
            !(*at && (*at)->kind == HD_REGION_MAP && (*at)->end > end);
    return at;
}

/* Nothing else is in its place, or a region that starts where it does: mostly a block that was
 * freed. False: more has to go. *again: there was one. */
static bool take_place(struct hd_regions *r, struct hd_region *g, bool *again)
{
    bool fits;
    struct hd_region **at = find_place(r, g->start, g->end, &fits), *old = *at;
    if (!fits)
        return false;
    *again = old != NULL;
    r->change++;
    forget_gaps(r, g->start, old && old->end > g->end ? old->end : g->end, NULL);
    if (old) {
        old->gone = true;
        g->left = old->left;
        g->right = old->right;
        g->rank = old->rank;
        *at = g;
        return true;
    }
    for (at = &r->root; *at && (*at)->rank >= g->rank;)
        at = (*at)->start < g->start ? &(*at)->right : &(*at)->left;
    split(*at, g->start, &g->left, &g->right);
    *at = g;
    return true;
}

static void insert(struct hd_regions *r, struct hd_region *g)
{
    struct hd_region *low, *high;
    r->change++;
    split(r->root, g->start, &low, &high);
    r->root = merge(merge(low, g), high);
}

static void remember_more(struct hd_regions *r)
{
    hd_free(r->recent, r->n_recent * sizeof *r->recent);
    r->n_recent *= 4;
    r->recent = hd_calloc(r->n_recent, sizeof *r->recent);
}

static struct hd_region *make(struct hd_regions *r, uint64_t start, uint64_t len)
{
    struct hd_region *g = r->again;
    if (g) {
        r->again = g->next_made;
        return g;
    }
    g = hd_calloc(1, sizeof *g);
    g->linear = r->linear_end + start % ALIGNED;
    r->linear_end = (g->linear + len + ALIGNED - 1) / ALIGNED * ALIGNED;
    g->rank = hd_hash_mix(++r->rng);
    g->thread = UINT32_MAX;
    *r->made_end = g;
    r->made_end = &g->next_made;
    if (++r->n_made * 4 > r->n_recent && r->n_recent < RECENT_MOST)
        remember_more(r);
    return g;
}

/* What is left of a mapping when all before addr goes. */
static struct hd_region *rest_of(struct hd_regions *r, const struct hd_region *g, uint64_t addr)
{
    struct hd_region *rest = make(r, addr, 0);
    uint64_t rank = rest->rank;
    struct hd_region *next = rest->next_made;
    *rest = *g;
    rest->rank = rank;
    rest->next_made = next;
    rest->left = rest->right = NULL;
    rest->start = addr;
    rest->linear = g->linear + (addr - g->start);
    rest->offset = g->offset + (addr - g->start);
    return rest;
}

/* Takes every region that touches [start, end) out of the tree; of a mapping the parts that do not
 * touch it stay. Whether there were any. */
static bool remove_overlaps(struct hd_regions *r, uint64_t start, uint64_t end)
{
    struct hd_region *low, *mid, *high, *rest = NULL;
    r->change++;
    struct hd_region *before = last_below(r->root, start), *last = last_below(r->root, end);
    bool reaches = before && before->end > start, stays = reaches && before->kind == HD_REGION_MAP;
    uint64_t from = reaches ? before->start : start;
    if (last && last->end > end && last->kind == HD_REGION_MAP)
        rest = rest_of(r, last, end);
    split(r->root, stays ? start : from, &low, &mid);
    split(mid, end, &mid, &high);
    forget_gaps(r, from, reaches && before->end > end ? before->end : end, mid);
    bool any = mid || stays;
    set_gone(mid);
    if (stays)
        before->end = start;
    r->root = merge(low, high);
    if (rest)
        insert(r, rest);
    return any;
}

void hd_regions_view(struct hd_regions *r, uint64_t start, uint64_t object, uint64_t offset,
                     bool inherited)
{
    r->view = (struct hd_region_view){start, object, offset, true, inherited};
}

/* An object whose number or size has no room keeps a stretch for each mapping. */
static void take_view(struct hd_regions *r, struct hd_region *g)
{
    const struct hd_region_view *v = &r->view;
    uint64_t most = UINT64_C(1) << VIEW_BITS;
    bool fits = v->any && v->start == g->start && v->object < (VIEWS >> VIEW_BITS) &&
                v->offset < most && g->end - g->start < most - v->offset;
    if (fits) {
        g->linear = (VIEWS | v->object << VIEW_BITS) + v->offset;
        g->view = g->shared = true;
        g->inherited = v->inherited;
        g->number = (uint32_t)v->object;
        g->offset = v->offset;
    }
    r->view.any = false;
}

struct hd_region *hd_regions_add(struct hd_regions *r, enum hd_region_kind kind, uint64_t start,
                                 uint64_t len, uint32_t thread)
{
    len = len ? len : 1; /* malloc(0) has an address too */
    struct hd_region *g = make(r, start, len);
    g->start = start;
    g->end = start + len;
    g->kind = (uint8_t)kind;
    g->freed = g->gone = false;
    g->number = kind == HD_REGION_HEAP ? ++r->n_heap : kind == HD_REGION_MAP ? ++r->n_map : thread;
    g->left = g->right = NULL;
    g->offset = 0;
    if (kind == HD_REGION_MAP)
        take_view(r, g);
    if (!take_place(r, g, &g->again)) {
        g->again = remove_overlaps(r, start, g->end);
        insert(r, g);
    }
    if ((r->n_made & (r->n_made - 1)) == 0) /* seldom enough to cost nothing in all */
        HD_SELF_CHECK(check(r->root, 0));
    return g;
}

void hd_regions_cut(struct hd_regions *r, uint64_t start, uint64_t len)
{
    remove_overlaps(r, start, start + len);
}

/* The region of addr, or NULL and the gap where it lies. */
static struct hd_region *search(const struct hd_regions *r, uint64_t addr,
                                struct hd_region_gap *gap)
{
    struct hd_region *best = NULL, *t = r->root;
    *gap = (struct hd_region_gap){0, STATIC_SPAN};
    while (t) {
        if (t->start <= addr) {
            best = t;
            t = t->right;
        } else {
            gap->end = t->start;
            t = t->left;
        }
    }
    if (best)
        gap->start = best->end;
    return best && addr < best->end ? best : NULL;
}

static struct hd_region_gap *gap_of(struct hd_regions *r, uint64_t addr)
{
    return &r->gaps[(addr >> 20) % (sizeof r->gaps / sizeof *r->gaps)];
}

struct hd_region *hd_regions_find(struct hd_regions *r, uint64_t addr, uint64_t *room)
{
    struct hd_region **recent = &r->recent[addr / 16 & (r->n_recent - 1)], *g = *recent;
    if (!g || g->gone || addr < g->start || addr >= g->end) {
        struct hd_region_gap *gap = gap_of(r, addr);
        if (addr >= gap->start && addr < gap->end) {
            *room = gap->end - addr;
            return &r->static_region;
        }
        struct hd_region_gap here;
        g = search(r, addr, &here);
        if (!g) {
            *gap = here;
            *room = addr < here.end ? here.end - addr : 1;
            return &r->static_region;
        }
        *recent = g;
    }
    *room = g->end - addr;
    return g;
}

void hd_regions_span(struct hd_regions *r, uint64_t addr, uint64_t *start, uint64_t *end)
{
    uint64_t room;
    const struct hd_region *g = hd_regions_find(r, addr, &room);
    const struct hd_region_gap *gap = gap_of(r, addr);
    bool in_gap = addr >= gap->start && addr < gap->end;
    *start = g != &r->static_region ? g->start : in_gap ? gap->start : addr;
    *end = addr + room;
}

struct hd_region *hd_regions_block(struct hd_regions *r, uint64_t start)
{
    uint64_t room;
    struct hd_region *g = hd_regions_find(r, start, &room);
    return g->kind == HD_REGION_HEAP && g->start == start && !g->freed ? g : NULL;
}
