/* The lockset violations of a trace, with the accesses to start a search from. Accesses that
 * creation and joining of threads order in every run of this code (what a constructor did before
 * its object was shared) are left out, unless there are no others: then they at least tell where
 * shared memory is. */
#include "base/alloc.h"
#include "base/hash.h"
#include "detect/filters/locksets.h"
#include "explore/lead_int.h"
#include "model/property.h"

#include <stdlib.h>

/* How many accesses of one kind are tried for a warning: the last ones of each location, and of a
 * long series then those that lie twice as far back each time. */
#define NEAR       4
#define CANDIDATES 48

/* Accesses to one location that lockset cannot tell apart. */
struct class
{
    hd_tid thread;
    uint32_t place, locks;
    uint8_t op;
    struct hd_u32vec events;
};

struct finding {
    const struct hd_trace *t;
    struct hd_locksets *locks;
    struct hd_vec *warnings;
    struct hd_map index;   /* pair of places to warning + 1 */
    hd_eid *join_of;       /* by thread: the first event that joins it, or HD_EID_NONE */
    bool all;              /* ordered ones, too */
    struct hd_vec classes; /* struct class, of the location in hand */
};

static struct class *class_of(struct finding *f, hd_eid e)
{
    const struct hd_trace *t = f->t;
    uint32_t locks = hd_locksets_id(f->locks, e);
    for (size_t i = 0; i < f->classes.len; i++) {
        struct class *c = hd_vec_at(&f->classes, i);
        if (c->thread == t->thread[e] && c->place == t->place[e] && c->locks == locks &&
            c->op == t->op[e])
            return c;
    }
    struct class *c = hd_vec_push(&f->classes);
    *c = (struct class){
        .thread = t->thread[e], .place = t->place[e], .locks = locks, .op = t->op[e]};
    return c;
}

static bool violates(const struct finding *f, const struct class *a, const struct class *b)
{
    bool writes = hd_op_writes(a->op) || hd_op_writes(b->op);
    bool atomic = hd_op_is_atomic(a->op) && hd_op_is_atomic(b->op);
    return a->thread != b->thread && writes && !atomic &&
           !hd_locksets_ids_exclude(f->locks, a->locks, b->locks);
}

/* Whether x comes before y by program order, forks and joins. Each step goes to an earlier y or a
 * later x, so it ends. */
static bool comes_first(const struct finding *f, hd_eid x, hd_eid y)
{
    const struct hd_trace *t = f->t;
    if (x > y || t->thread[x] == t->thread[y])
        return x <= y;
    hd_eid fork = t->fork_of[t->thread[y]], join = f->join_of[t->thread[x]];
    return (fork != HD_EID_NONE && comes_first(f, x, fork)) ||
           (join != HD_EID_NONE && comes_first(f, join, y));
}

/* Whether forks and joins order e and every event of the class. */
static bool is_ordered(const struct finding *f, hd_eid e, const struct class *c)
{
    size_t after = 0;
    while (after < c->events.len && c->events.data[after] < e)
        after++;
    return (after == 0 || comes_first(f, c->events.data[after - 1], e)) &&
           (after == c->events.len || comes_first(f, e, c->events.data[after]));
}

/* The warning of a pair of places, made when it comes up first. */
static struct hd_warning *warning_of(struct finding *f, uint32_t place1, uint32_t place2)
{
    uint32_t low = place1 < place2 ? place1 : place2, high = place1 < place2 ? place2 : place1;
    bool fresh;
    uint32_t *at = hd_map_put(&f->index, (uint64_t)low << 32 | high, &fresh);
    if (fresh) {
        struct hd_warning *w = hd_vec_push(f->warnings);
        *w = (struct hd_warning){
            .places = {hd_names_text(&f->t->places, low), hd_names_text(&f->t->places, high)},
            .candidates = HD_VEC_INIT(struct hd_candidate)};
        *at = (uint32_t)f->warnings->len;
    }
    return hd_vec_at(f->warnings, *at - 1);
}

static void add(struct hd_warning *w, hd_eid e, hd_tid hint)
{
    for (size_t i = 0; i < w->candidates.len; i++)
        if (((struct hd_candidate *)hd_vec_at(&w->candidates, i))->event == e)
            return;
    if (w->candidates.len < CANDIDATES)
        *(struct hd_candidate *)hd_vec_push(&w->candidates) = (struct hd_candidate){e, hint};
}

/* Accesses of class c that come before one of class d. */
static void add_candidates(struct finding *f, const struct class *c, const struct class *d)
{
    size_t n = 0;
    hd_eid last = d->events.data[d->events.len - 1];
    while (n < c->events.len && c->events.data[n] < last)
        n++;
    for (size_t back = 1; back <= n; back = back < NEAR ? back + 1 : back * 2)
        if (f->all || !is_ordered(f, c->events.data[n - back], d))
            add(warning_of(f, c->place, d->place), c->events.data[n - back], d->thread);
}

/* The last ones of the whole trace first: where little is left to be run, a search is short. */
static int later_first(const void *a, const void *b)
{
    const struct hd_candidate *x = a, *y = b;
    return (x->event < y->event) - (x->event > y->event);
}

static void drop_classes(struct finding *f)
{
    for (size_t i = 0; i < f->classes.len; i++)
        hd_u32vec_fini(&((struct class *)hd_vec_at(&f->classes, i))->events);
    f->classes.len = 0;
}

static void look_at_location(struct finding *f, uint32_t loc)
{
    size_t n;
    const hd_eid *list = hd_trace_obj_events(f->t, HD_OBJ_LOC, loc, &n);
    drop_classes(f);
    for (size_t i = 0; i < n; i++)
        hd_u32vec_push(&class_of(f, list[i])->events, list[i]);
    for (size_t i = 0; i < f->classes.len; i++)
        for (size_t k = 0; k < f->classes.len; k++) {
            const struct class *c = hd_vec_at(&f->classes, i), *d = hd_vec_at(&f->classes, k);
            if (i != k && violates(f, c, d))
                add_candidates(f, c, d);
        }
}

static void find_joins(struct finding *f)
{
    const struct hd_trace *t = f->t;
    size_t n = hd_trace_n_threads(t);
    f->join_of = hd_alloc(n * sizeof *f->join_of);
    for (size_t u = 0; u < n; u++)
        f->join_of[u] = HD_EID_NONE;
    for (hd_eid e = 0; e < t->n_events; e++)
        if (t->op[e] == HD_OP_JOIN && f->join_of[t->obj[e]] == HD_EID_NONE)
            f->join_of[t->obj[e]] = e;
}

void hd_lead_warnings(const struct hd_trace *t, struct hd_vec *warnings)
{
    struct finding f = {.t = t, .warnings = warnings, .classes = HD_VEC_INIT(struct class)};
    f.locks = hd_locksets_new(t);
    find_joins(&f);
    for (int i = 0; i < 2 && !warnings->len; i++) {
        f.all = i;
        for (uint32_t loc = 0; loc < hd_trace_n_objs(t, HD_OBJ_LOC); loc++)
            look_at_location(&f, loc);
    }
    drop_classes(&f);
    for (size_t i = 0; i < warnings->len; i++) {
        struct hd_warning *w = hd_vec_at(warnings, i);
        qsort(w->candidates.data, w->candidates.len, w->candidates.size, later_first);
    }
    hd_vec_fini(&f.classes);
    hd_map_fini(&f.index);
    hd_locksets_free(f.locks);
    hd_free(f.join_of, hd_trace_n_threads(t) * sizeof *f.join_of);
}
