#include "predict/index/candidates_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/stop.h"

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static uint32_t spot_of(const struct hd_world *w, hd_eid e)
{
    return w->spots ? w->spots[e] : w->t->place[e];
}

/* An event with what its class is made of: comparing then stays within the list that is sorted. */
struct keyed {
    uint32_t spot, lockset, op;
    hd_eid e;
};

static int compare_classes(const struct keyed *x, const struct keyed *y)
{
    int order = compare(x->spot, y->spot);
    if (!order)
        order = compare(x->op, y->op);
    return order ? order : compare(x->lockset, y->lockset);
}

/* By place, kind, lock set, then program order. */
static int by_class(const void *a, const void *b, void *unused)
{
    const struct keyed *x = a, *y = b;
    int order = compare_classes(x, y);
    (void)unused;
    return order ? order : compare(x->e, y->e);
}

/* The classes of one user of a location. */
static void add_classes(struct hd_candidates *c, const struct hd_world *w,
                        const struct hd_loc_user *user)
{
    uint32_t n = user->end - user->start;
    struct keyed *keys = hd_alloc(n * sizeof *keys);
    for (uint32_t i = 0; i < n && !hd_stop_often(i); i++) {
        hd_eid e = w->locs->list[user->start + i];
        keys[i] =
            (struct keyed){spot_of(w, e), hd_sections_lockset(w->sections, e), w->t->op[e], e};
    }
    if (hd_stop_now() == HD_STOP_NO)
        hd_sort(keys, n, sizeof *keys, by_class, NULL);
    for (uint32_t i = 0; i < n && hd_stop_now() == HD_STOP_NO;) {
        uint32_t first = i, at = (uint32_t)c->n_events;
        for (; i < n && compare_classes(&keys[first], &keys[i]) == 0; i++)
            c->events[c->n_events++] = keys[i].e;
        *(struct hd_class *)hd_vec_push(&c->classes) =
            (struct hd_class){.start = at,
                              .end = (uint32_t)c->n_events,
                              .place = keys[first].spot,
                              .lockset = keys[first].lockset,
                              .held = hd_held(w->sections, keys[first].e),
                              .thread = user->thread,
                              .op = (uint8_t)keys[first].op};
    }
    hd_free(keys, n * sizeof *keys);
}

static bool classes_conflict(const struct hd_class *x, const struct hd_class *y)
{
    return x->thread != y->thread && (hd_op_writes(x->op) || hd_op_writes(y->op)) &&
           !(hd_op_is_atomic(x->op) && hd_op_is_atomic(y->op));
}

/* ---- sites and links ---- */

/* By place, then number; arg: the classes. */
static int by_place(const void *a, const void *b, void *arg)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare(hd_class_at(arg, x)->place, hd_class_at(arg, y)->place);
    return order ? order : compare(x, y);
}

static void join_site(struct hd_place_site *site, const struct hd_class *x)
{
    uint32_t *who = &site->who[hd_candidates_kind(x->op)];
    if (*who == HD_SITE_NOBODY)
        *who = x->thread;
    else if (*who != x->thread)
        *who = HD_SITE_MANY;
}

/* The sites of a location, whose classes are those from `first` on. */
static void add_sites(struct hd_candidates *c, uint32_t loc, uint32_t first)
{
    uint32_t start = (uint32_t)c->site_classes.len, n = (uint32_t)c->classes.len - first;
    struct hd_place_site *site = NULL;
    for (uint32_t i = 0; i < n; i++)
        hd_u32vec_push(&c->site_classes, first + i);
    hd_sort(c->site_classes.data + start, n, sizeof(uint32_t), by_place, c);
    for (uint32_t i = start; i < start + n; i++) {
        const struct hd_class *x = hd_class_at(c, c->site_classes.data[i]);
        if (!site || site->place != x->place) {
            site = hd_vec_push(&c->sites);
            *site = (struct hd_place_site){.loc = loc, .place = x->place, .start = i};
            for (int k = 0; k < 4; k++)
                site->who[k] = HD_SITE_NOBODY;
        }
        site->end = i + 1;
        join_site(site, x);
    }
}

static bool sites_conflict(const struct hd_place_site *x, const struct hd_place_site *y)
{
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < 4; l++) {
            uint32_t p = x->who[k], q = y->who[l];
            if (hd_candidates_kinds_conflict(k, l) && p != HD_SITE_NOBODY && q != HD_SITE_NOBODY &&
                (p != q || p == HD_SITE_MANY))
                return true;
        }
    return false;
}

static bool site_writes(const struct hd_place_site *x)
{
    return x->who[1] != HD_SITE_NOBODY || x->who[3] != HD_SITE_NOBODY;
}

static void try_link(struct hd_candidates *c, uint32_t x, uint32_t y)
{
    if (sites_conflict(hd_site_at(c, x), hd_site_at(c, y)))
        *(struct hd_site_pair *)hd_vec_push(&c->links) = (struct hd_site_pair){x, y};
}

/* Sites of one location, ascending by place. Two that only read are not looked at together. */
static void add_links(struct hd_candidates *c, uint32_t first)
{
    uint32_t end = (uint32_t)c->sites.len;
    struct hd_u32vec writers = {0};
    size_t passed = 0;
    for (uint32_t i = first; i < end; i++)
        if (site_writes(hd_site_at(c, i)))
            hd_u32vec_push(&writers, i);
    for (uint32_t i = first; i < end && hd_stop_now() == HD_STOP_NO; i++) {
        bool writes = passed < writers.len && writers.data[passed] == i;
        for (uint32_t k = i; writes && k < end; k++)
            try_link(c, i, k);
        for (size_t k = passed; !writes && k < writers.len; k++)
            try_link(c, i, writers.data[k]);
        passed += writes;
    }
    hd_u32vec_fini(&writers);
}

/* ---- bundles ---- */

/* The first class of the second site that class i of the first is paired with. */
static uint32_t first_partner(const struct hd_bundle_walk *walk, uint32_t i)
{
    const struct hd_site_pair *link = hd_vec_at(&walk->c->links, walk->link);
    return link->x == link->y ? i + 1 : hd_site_at(walk->c, link->y)->start;
}

static void start_link(struct hd_bundle_walk *walk)
{
    if (walk->link == walk->end)
        return;
    const struct hd_site_pair *link = hd_vec_at(&walk->c->links, walk->link);
    walk->i = hd_site_at(walk->c, link->x)->start;
    walk->k = first_partner(walk, walk->i);
}

struct hd_bundle_walk hd_bundle_walk(const struct hd_candidates *c, const struct hd_group *group)
{
    struct hd_bundle_walk walk = {.c = c, .link = group->start, .end = group->end};
    start_link(&walk);
    return walk;
}

bool hd_bundle_next(struct hd_bundle_walk *walk, struct hd_bundle *bundle)
{
    const struct hd_candidates *c = walk->c;
    for (; walk->link < walk->end; walk->link++, start_link(walk)) {
        const struct hd_site_pair *link = hd_vec_at(&c->links, walk->link);
        const struct hd_place_site *p = hd_site_at(c, link->x), *q = hd_site_at(c, link->y);
        while (walk->i < p->end) {
            while (walk->k < q->end) {
                uint32_t x = c->site_classes.data[walk->i], y = c->site_classes.data[walk->k++];
                *bundle = (struct hd_bundle){x, y};
                HD_DCHECK(hd_class_at(c, x)->place <= hd_class_at(c, y)->place);
                if (classes_conflict(hd_class_at(c, x), hd_class_at(c, y)))
                    return true;
            }
            walk->k = first_partner(walk, ++walk->i);
        }
    }
    return false;
}

/* ---- counting ---- */

/* The conflicting pairs of a location: for two kinds that conflict, all pairs of events but those
 * of one thread. */
static uint64_t count_pairs(const struct hd_world *w, const struct hd_loc_user *users, size_t n)
{
    uint64_t all[4] = {0}, own[4][4] = {{0}}, pairs = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count[4] = {0};
        for (uint32_t k = users[i].start; k < users[i].end; k++)
            count[hd_candidates_kind(w->t->op[w->locs->list[k]])]++;
        for (unsigned k = 0; k < 4; k++) {
            all[k] += count[k];
            for (unsigned l = 0; l < 4; l++)
                own[k][l] += count[k] * count[l];
        }
    }
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = k; l < 4; l++)
            if (hd_candidates_kinds_conflict(k, l))
                pairs += (all[k] * all[l] - own[k][l]) / (k == l ? 2 : 1);
    return pairs;
}

static bool may_conflict(const struct hd_loc_user *users, size_t n)
{
    size_t writers = 0;
    for (size_t i = 0; i < n; i++)
        writers += users[i].wend > users[i].wstart;
    return n > 1 && writers > 0;
}

static int by_places(const void *a, const void *b, void *arg)
{
    const struct hd_candidates *c = arg;
    const struct hd_site_pair *p = a, *q = b;
    int order = compare(hd_site_at(c, p->x)->place, hd_site_at(c, q->x)->place);
    if (!order)
        order = compare(hd_site_at(c, p->y)->place, hd_site_at(c, q->y)->place);
    return order ? order : compare(p->x, q->x); /* sites of a location stand together */
}

static void make_groups(struct hd_candidates *c)
{
    bool sorted = true;
    for (size_t i = 1; i < c->links.len && sorted; i++)
        sorted = by_places(hd_vec_at(&c->links, i - 1), hd_vec_at(&c->links, i), c) < 0;
    if (!sorted)
        hd_sort(c->links.data, c->links.len, sizeof(struct hd_site_pair), by_places, c);
    for (size_t i = 0; i < c->links.len; i++) {
        const struct hd_site_pair *link = hd_vec_at(&c->links, i);
        uint32_t x = hd_site_at(c, link->x)->place, y = hd_site_at(c, link->y)->place;
        struct hd_group *last = c->groups.len ? hd_vec_at(&c->groups, c->groups.len - 1) : NULL;
        if (!last || last->place_x != x || last->place_y != y) {
            last = hd_vec_push(&c->groups);
            *last = (struct hd_group){x, y, (uint32_t)i, (uint32_t)i};
        }
        last->end = (uint32_t)i + 1;
    }
}

struct hd_candidates *hd_candidates_new(const struct hd_world *w)
{
    struct hd_candidates *c = hd_calloc(1, sizeof *c);
    c->classes = HD_VEC_INIT(struct hd_class);
    c->sites = HD_VEC_INIT(struct hd_place_site);
    c->links = HD_VEC_INIT(struct hd_site_pair);
    c->groups = HD_VEC_INIT(struct hd_group);
    if (hd_stop_now() != HD_STOP_NO)
        return c;
    c->events = hd_alloc(w->locs->n_list * sizeof *c->events);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(w->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        size_t n, first = c->classes.len, first_site = c->sites.len;
        const struct hd_loc_user *users = hd_accesses_users(w->locs, loc, &n);
        if (!may_conflict(users, n))
            continue;
        for (size_t i = 0; i < n && hd_stop_now() == HD_STOP_NO; i++)
            add_classes(c, w, &users[i]);
        add_sites(c, loc, (uint32_t)first);
        add_links(c, (uint32_t)first_site);
        c->pairs += count_pairs(w, users, n);
    }
    size_t used = c->n_events * sizeof *c->events;
    c->events = hd_realloc(c->events, w->locs->n_list * sizeof *c->events, used);
    hd_vec_trim(&c->classes);
    hd_u32vec_trim(&c->site_classes);
    hd_vec_trim(&c->sites);
    if (hd_stop_now() == HD_STOP_NO)
        make_groups(c);
    HD_DEBUG_LINE(PREDICT, "%llu conflicting pairs in %zu pairs of places, %zu classes",
                  (unsigned long long)c->pairs, c->groups.len, c->classes.len);
    return c;
}

void hd_candidates_free(struct hd_candidates *c)
{
    if (!c)
        return;
    hd_free(c->events, c->n_events * sizeof *c->events);
    hd_vec_fini(&c->classes);
    hd_u32vec_fini(&c->site_classes);
    hd_vec_fini(&c->sites);
    hd_vec_fini(&c->links);
    hd_vec_fini(&c->groups);
    hd_free(c, sizeof *c);
}

void hd_candidates_open(const struct hd_world *w, const struct hd_candidates *c, hd_eid e,
                        const struct hd_class *y, uint32_t *from, uint32_t *to)
{
    const struct hd_trace *t = w->t;
    uint32_t before = hd_must_clock(w->must, e)[y->thread];
    uint32_t lo = y->start, hi = y->end;
    size_t n;
    const hd_eid *own = hd_trace_thread_events(t, y->thread, &n);
    lo = before < n ? lo : hi;
    while (lo < hi) { /* the first that need not come before e */
        uint32_t mid = lo + (hi - lo) / 2;
        if (c->events[mid] < own[before])
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
    hi = y->end;
    while (lo < hi) { /* the first that e must come before */
        uint32_t mid = lo + (hi - lo) / 2;
        if (hd_must_clock(w->must, c->events[mid])[t->thread[e]] <= t->pos[e])
            lo = mid + 1;
        else
            hi = mid;
    }
    *to = lo;
}
