/* Pairs that nothing orders for certain: one walk that compares each access with the latest of each
 * kind, place and set of locks of each other thread. If the latest is ordered before it, so are
 * those before. */
#include "predict/orders/certain.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "detect/filters/contended.h"
#include "detect/published/history.h"

#define MAX_LOOKED 100000000 /* earlier accesses that all accesses together are compared with */

struct latest {
    hd_tid thread;
    uint32_t place, lockset, opened; /* opened: the guard whose section it opens, + 1 */
    enum hd_access_kind kind;
    hd_eid last;
};

struct open_walk {
    const struct hd_certain *c;
    const struct hd_world *w;
    struct hd_vec *of; /* by location: struct latest */
    uint64_t looked;
    void (*found)(void *ctx, hd_eid a, hd_eid b);
    void *ctx;
};

static void look(struct open_walk *o, hd_eid e)
{
    const struct hd_trace *t = o->w->t;
    struct hd_vec *list = &o->of[t->obj[e]];
    struct latest here = {.thread = t->thread[e],
                          .place = o->w->spots ? o->w->spots[e] : t->place[e],
                          .lockset = hd_sections_lockset(o->w->sections, e),
                          .kind = hd_access_kind(t->op[e]),
                          .last = e};
    uint32_t opened = hd_certain_opened(o->w->sections, e);
    if (opened != HD_SECTION_NONE)
        here.opened = hd_section_at(o->w->sections, opened)->lock + 1;
    struct latest *mine = NULL;
    o->looked += list->len + 1;
    for (size_t i = 0; i < list->len; i++) {
        struct latest *x = hd_vec_at(list, i);
        if (x->thread == here.thread) {
            if (x->place == here.place && x->lockset == here.lockset && x->opened == here.opened &&
                x->kind == here.kind)
                mine = x;
        } else if (hd_kinds_conflict(x->kind, here.kind) && !hd_certain_before(o->c, x->last, e) &&
                   !hd_certain_excludes(o->c, x->last, e)) {
            o->found(o->ctx, x->last, e);
        }
    }
    if (mine)
        mine->last = e;
    else
        *(struct latest *)hd_vec_push(list) = here;
}

bool hd_certain_open(const struct hd_certain *c, const struct hd_world *w,
                     void (*found)(void *ctx, hd_eid a, hd_eid b), void *ctx)
{
    const struct hd_trace *t = w->t;
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    struct open_walk o = {.c = c, .w = w, .found = found, .ctx = ctx};
    uint8_t *contended = hd_contended_new(t);
    o.of = hd_alloc(locs * sizeof *o.of);
    for (size_t x = 0; x < locs; x++)
        o.of[x] = HD_VEC_INIT(struct latest);
    hd_eid e = 0;
    for (; e < t->n_events && o.looked < MAX_LOOKED && !hd_stop_often(e); e++)
        if (hd_op_is_access(t->op[e]) && contended[t->obj[e]] == HD_LOC_CONTENDED)
            look(&o, e);
    for (size_t x = 0; x < locs; x++)
        hd_vec_fini(&o.of[x]);
    hd_free(o.of, locs * sizeof *o.of);
    hd_contended_free(contended, t);
    return e == t->n_events;
}
