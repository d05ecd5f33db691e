#include "predict/index/ownership_int.h"

uint32_t hd_ownership_slot_at(const struct hd_ownership *k, uint32_t loc)
{
    const struct hd_owned_loc *x = &k->loc[loc];
    bool open =
        k->loc[x->slot].open && (x->domain == HD_DOMAIN_LOCK || hd_ownership_known(k, x->of)->open);
    return open ? HD_SLOT_OPEN : x->slot;
}

bool hd_ownership_has_parts(const struct hd_ownership *k, uint32_t id, uint32_t pos)
{
    const struct hd_owned_object *v = hd_ownership_known(k, id);
    if (v->open)
        return v->inside && v->inside_since <= pos;
    return hd_ownership_knows(k, id) && v->since <= pos;
}

void hd_ownership_close(struct hd_owned_object *v)
{
    v->open = false;
    v->closed = true;
}

void hd_ownership_enter(struct hd_ownership *k, uint32_t lock)
{
    uint32_t id = k->inner ? k->inner_of[lock] : 0;
    if (!id || !hd_ownership_knows(k, id))
        return;
    struct hd_owned_object *v = hd_owned_at(k, id);
    v->inside = true;
    v->inside_since = v->since;
    if (k->guessing && v->place && !k->loc[k->loc[v->place - 1].slot].open)
        k->loc[k->loc[v->place - 1].slot].open = k->changed = true;
}

void hd_ownership_leave(struct hd_ownership *k, uint32_t lock, uint32_t pos)
{
    uint32_t id = k->inner ? k->inner_of[lock] : 0;
    struct hd_owned_object *v = id ? hd_ownership_known(k, id) : NULL;
    if (!v || !v->inside)
        return;
    if (v->open && !v->place)
        hd_ownership_close(v); /* it is in the thread's hands */
    else if (v->open)
        hd_ownership_drop_links(k, id, pos);
    v->inside = false;
}
