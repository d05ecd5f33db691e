#include "predict/index/ownership_int.h"

#include "base/stop.h"
#include "predict/index/guarded.h"

/* Locations that hold something in the first state. */
typedef void visit_fn(struct hd_ownership *k, uint32_t loc, struct hd_owned_object *held);

static void visit_first(struct hd_ownership *k, visit_fn *visit)
{
    for (uint32_t loc = 0; loc < hd_trace_n_objs(k->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++)
        if (k->loc[loc].first && k->loc[loc].domain != HD_DOMAIN_NONE)
            visit(k, loc, hd_owned_at(k, k->loc[loc].first));
}

/* The place of an object is a location of a lock, if there is one that holds it. */
static void choose_place(struct hd_ownership *k, uint32_t loc, struct hd_owned_object *held)
{
    held->placed++;
    held->placed_units += hd_ownership_is_unit(k, loc, k->loc[loc].first);
    if (!held->first_at || k->loc[loc].domain == HD_DOMAIN_LOCK)
        held->first_at = loc + 1;
}

/* A link that holds what is elsewhere is dead where its object is. */
static void leave_links(struct hd_ownership *k, uint32_t loc, struct hd_owned_object *held)
{
    const struct hd_owned_loc *x = &k->loc[loc];
    if (x->domain != HD_DOMAIN_OBJECT || held->first_at == loc + 1 || k->guessing)
        return;
    const struct hd_owned_object *c = hd_owned_at(k, x->of);
    if (!c->first_at)
        return;
    bool unit = hd_ownership_is_unit(k, c->first_at - 1, x->of);
    uint32_t place = unit ? c->count - 1 : k->loc[c->first_at - 1].slot;
    *hd_map_put(&k->dead, (uint64_t)x->slot << 32 | place, NULL) = 1;
    if (!unit && k->loc[place].open) /* it may be open */
        *hd_map_put(&k->dead, (uint64_t)x->slot << 32 | HD_SLOT_OPEN, NULL) = 1;
    held->placed--;
    held->placed_units -= hd_ownership_is_unit(k, loc, x->first);
}

void hd_ownership_first(struct hd_ownership *k)
{
    for (uint32_t id = 1; id <= k->objects.len; id++) {
        struct hd_owned_object *v = hd_owned_at(k, id);
        v->placed = v->placed_units = v->first_at = 0;
    }
    visit_first(k, choose_place);
    visit_first(k, leave_links);
    for (uint32_t id = 1; id <= k->objects.len && !k->guessing; id++) {
        struct hd_owned_object *v = hd_owned_at(k, id);
        struct hd_value first;
        if (v->placed_units != v->placed && v->placed > 1)
            v->out = true;
        else if (v->placed_units && hd_guarded_first(k->t, v->count - 1, k->span, &first) &&
                 !first.unique && first.bits < v->placed_units)
            v->out = true;
    }
}
