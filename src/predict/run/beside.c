#include "predict/run/beside.h"

#include "base/alloc.h"

enum {
    BUNDLES = 4096, /* that are looked at for two places */
    PAIRS = 24,     /* that are chosen of them */
    OF_BUNDLE = 6,
};

uint32_t *hd_beside_places(const struct hd_trace *t, const struct hd_predict_options *options,
                           const uint32_t *spots)
{
    uint32_t *places = hd_alloc(2 * options->n_beside * sizeof *places);
    for (size_t i = 0; i < 2 * options->n_beside; i++) {
        hd_eid e = options->beside[i / 2][i % 2];
        places[i] = spots ? spots[e] : t->place[e];
    }
    return places;
}

static uint32_t add_site(struct hd_candidates *few, hd_eid e, const struct hd_class *of,
                         uint32_t loc)
{
    uint32_t at = (uint32_t)few->n_events++;
    few->events[at] = e;
    struct hd_class *x = hd_vec_push(&few->classes);
    *x = *of;
    x->start = at;
    x->end = at + 1;
    hd_u32vec_push(&few->site_classes, at);
    *(struct hd_place_site *)hd_vec_push(&few->sites) =
        (struct hd_place_site){.loc = loc, .place = of->place, .start = at, .end = at + 1};
    return at;
}

static void add_pair(struct hd_candidates *few, const struct hd_world *w, hd_eid a,
                     const struct hd_class *x, hd_eid b, const struct hd_class *y)
{
    uint32_t first = add_site(few, a, x, w->t->obj[a]), second = add_site(few, b, y, w->t->obj[b]);
    uint32_t link = (uint32_t)few->links.len;
    *(struct hd_site_pair *)hd_vec_push(&few->links) = (struct hd_site_pair){first, second};
    *(struct hd_group *)hd_vec_push(&few->groups) =
        (struct hd_group){x->place, y->place, link, link + 1};
    few->pairs++;
}

/* The first, middle and last event of x, each with the first and the last of y that is open. */
static void choose_of_bundle(struct hd_candidates *few, const struct hd_world *w,
                             const struct hd_candidates *c, const struct hd_bundle *bundle,
                             uint64_t most)
{
    const struct hd_class *x = hd_class_at(c, bundle->x), *y = hd_class_at(c, bundle->y);
    uint32_t n = x->end - x->start, last = UINT32_MAX;
    if (hd_sections_exclude(w->sections, c->events[x->start], c->events[y->start]))
        return;
    most = few->pairs + OF_BUNDLE < most ? few->pairs + OF_BUNDLE : most;
    for (uint32_t third = 0; third < 3; third++) {
        uint32_t i = x->start + (n - 1) * third / 2, from, to;
        if (i == last)
            continue;
        last = i;
        hd_candidates_open(w, c, c->events[i], y, &from, &to);
        if (from < to && few->pairs < most)
            add_pair(few, w, c->events[i], x, c->events[from], y);
        if (from + 1 < to && few->pairs < most)
            add_pair(few, w, c->events[i], x, c->events[to - 1], y);
    }
}

static void choose_of_group(struct hd_candidates *few, const struct hd_world *w,
                            const struct hd_candidates *c, const struct hd_group *group)
{
    struct hd_bundle_walk walk = hd_bundle_walk(c, group);
    struct hd_bundle bundle;
    uint64_t most = few->pairs + PAIRS;
    for (int looks = 0; looks < BUNDLES && few->pairs < most; looks++) {
        if (!hd_bundle_next(&walk, &bundle))
            return;
        choose_of_bundle(few, w, c, &bundle, most);
    }
}

struct hd_candidates *hd_beside_choose(const struct hd_world *w, const struct hd_candidates *c,
                                       const uint32_t *places, size_t n)
{
    struct hd_candidates *few = hd_calloc(1, sizeof *few);
    few->classes = HD_VEC_INIT(struct hd_class);
    few->sites = HD_VEC_INIT(struct hd_place_site);
    few->links = HD_VEC_INIT(struct hd_site_pair);
    few->groups = HD_VEC_INIT(struct hd_group);
    size_t room = 2 * PAIRS * n;
    few->events = hd_alloc(room * sizeof *few->events);
    for (size_t i = 0; i < n; i++) {
        uint32_t p = places[2 * i], q = places[2 * i + 1];
        for (size_t g = 0; g < c->groups.len; g++) {
            const struct hd_group *group = hd_vec_at(&c->groups, g);
            if ((group->place_x == p && group->place_y == q) ||
                (group->place_x == q && group->place_y == p))
                choose_of_group(few, w, c, group);
        }
    }
    few->events =
        hd_realloc(few->events, room * sizeof *few->events, few->n_events * sizeof *few->events);
    return few;
}
