/* A search from a lead in a file. */
#include "explore/freeze.h"
#include "explore/reach_int.h"

#define EARLIER "an execution of an earlier part of the search could not be used"

static void freeze_choices(struct hd_freezer *z, struct hd_vec *v)
{
    hd_freeze_len(z, v);
    for (size_t i = 0; i < v->len; i++) {
        struct hd_steer_choice *c = hd_vec_at(v, i);
        hd_freeze_u32(z, &c->thread);
        hd_freeze_u32(z, &c->until);
        hd_freeze_u32(z, &c->wakes);
    }
}

static void freeze_item(struct hd_freezer *z, struct hd_item *item)
{
    freeze_choices(z, &item->choices);
    hd_freeze_len(z, &item->ops);
    for (size_t i = 0; i < item->ops.len; i++)
        hd_freeze_steer_op(z, hd_vec_at(&item->ops, i));
    hd_freeze_len(z, &item->sleepers);
    for (size_t i = 0; i < item->sleepers.len; i++) {
        struct hd_steer_sleeper *s = hd_vec_at(&item->sleepers, i);
        hd_freeze_u32(z, &s->thread);
        hd_freeze_u32(z, &s->first);
        hd_freeze_u32(z, &s->n);
        z->bad = z->bad || s->first > item->ops.len || s->n > item->ops.len - s->first;
    }
    hd_freeze_u32(z, &item->depth);
    hd_freeze_u32(z, &item->cost);
}

/* What was run ahead is not kept: it runs again. */
static void freeze_queue(struct hd_reach *r, struct hd_freezer *z, unsigned level, unsigned hinted)
{
    struct hd_item_queue *q = &r->queue[level][hinted];
    uint64_t n = q->items.len - q->head;
    hd_freeze_u64(z, &n);
    for (uint64_t i = 0; i < n && !z->bad; i++) {
        struct hd_item *item =
            z->writes ? *(struct hd_item **)hd_vec_at(&q->items, q->head + i) : hd_item_new();
        freeze_item(z, item);
        z->bad = z->bad || item->cost != level;
        if (!z->writes && z->bad)
            hd_item_free(item);
        else if (!z->writes)
            hd_reach_push(r, item, hinted);
    }
}

static void freeze_visits(struct hd_reach *r, struct hd_freezer *z)
{
    hd_freeze_map(z, &r->visit_of);
    hd_freeze_len(z, &r->visits);
    for (size_t i = 0; i < r->visits.len; i++) {
        struct hd_visit *v = hd_vec_at(&r->visits, i);
        hd_freeze_u32(z, &v->cost);
        hd_freeze_u64(z, &v->asleep);
    }
    for (size_t i = 0; i < r->visit_of.cap; i++)
        if (r->visit_of.slots[i].round == r->visit_of.round)
            z->bad = z->bad || r->visit_of.slots[i].value >= r->visits.len;
}

void hd_reach_freeze(struct hd_reach *r, struct hd_freezer *z)
{
    bool lost = r->lost != NULL;
    hd_freeze_u64(z, &r->parked);
    hd_freeze_u32(z, &r->hint);
    hd_freeze_u32(z, &r->parked_thread);
    hd_freeze_u32(z, &r->count);
    hd_freeze_u32(z, &r->n_prefix);
    hd_freeze_u32(z, &r->base);
    hd_freeze_bool(z, &r->has_stand);
    hd_freeze_bool(z, &r->writes);
    hd_freeze_bool(z, &r->atomic);
    hd_freeze_bool(z, &lost);
    hd_freeze_steer_op(z, &r->stand);
    freeze_visits(r, z);
    for (unsigned i = 0; i < HD_REACH_LEVELS; i++)
        for (unsigned k = 0; k < 2; k++)
            freeze_queue(r, z, i, k);
    if (!z->writes && lost)
        r->lost = EARLIER;
}

struct hd_reach *hd_reach_thaw(struct hd_reach_env *e, struct hd_freezer *z)
{
    struct hd_reach *r = hd_reach_blank(e);
    hd_reach_freeze(r, z);
    if (!z->bad)
        return r;
    hd_reach_free(r);
    return NULL;
}
