#include "predict/index/near.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/stop.h"

/* How many looks each access, and each pair of places when it is first met, pays for. How far back
 * to look, in accesses of the location; with few threads, as far as the must-order leaves
 * something. */
enum { LOOKS = 8, GAIN = 64, WINDOW = 64, FEW_THREADS = 64, FAR = 4096 };

struct walk {
    const struct hd_world *w;
    const struct hd_candidates *c;
    const struct hd_near_options *o;
    struct hd_near *out;
    struct hd_map group_of; /* places, the smaller first */
    uint32_t *left;         /* by location: its links whose group has not been met */
    uint8_t *whole;         /* by location: every pair was looked at, or is ordered by must */
    uint64_t looks;         /* that the location may still make */
};

static uint64_t places_key(uint32_t p, uint32_t q)
{
    return p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
}

static uint32_t spot_of(const struct hd_world *w, hd_eid e)
{
    return w->spots ? w->spots[e] : w->t->place[e];
}

static bool conflict(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    return t->thread[a] != t->thread[b] && (hd_op_writes(t->op[a]) || hd_op_writes(t->op[b])) &&
           !(hd_op_is_atomic(t->op[a]) && hd_op_is_atomic(t->op[b]));
}

static uint32_t link_loc(const struct hd_candidates *c, uint32_t link)
{
    return hd_site_at(c, ((struct hd_site_pair *)hd_vec_at(&c->links, link))->x)->loc;
}

static void meet(struct walk *k, uint32_t id)
{
    const struct hd_group *group = hd_vec_at(&k->c->groups, id);
    for (uint32_t i = group->start; i < group->end; i++)
        k->left[link_loc(k->c, i)]--;
    k->looks += GAIN;
}

static void look(struct walk *k, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = k->w->t;
    uint32_t id;
    if (!conflict(t, a, b) || (k->o->must && hd_world_before(k->w, a, b)))
        return;
    if (!hd_map_get(&k->group_of, places_key(spot_of(k->w, a), spot_of(k->w, b)), &id))
        return;
    struct hd_near *near = &k->out[id];
    if (near->a != HD_EID_NONE && near->b - near->a <= b - a)
        return;
    if (k->o->locks && hd_sections_exclude(k->w->sections, a, b))
        return;
    if (near->a == HD_EID_NONE)
        meet(k, id);
    *near = (struct hd_near){a, b, false};
}

/* The first event of another thread that need not come before e. */
static hd_eid first_open(const struct walk *k, hd_eid e)
{
    const struct hd_world *w = k->w;
    const uint32_t *clock = hd_must_clock(w->must, e);
    hd_eid first = e;
    for (hd_tid u = 0; u < w->n_threads; u++) {
        if (u == w->t->thread[e] || clock[u] >= hd_world_thread_len(w, u))
            continue;
        hd_eid open = hd_world_event(w, u, clock[u]);
        first = open < first ? open : first;
    }
    return first;
}

/* Looks back from the access. False: not over all that it need not come after. */
static bool look_back(struct walk *k, const hd_eid *events, size_t i, bool few)
{
    hd_eid first = few ? first_open(k, events[i]) : 0;
    size_t most = few ? FAR : WINDOW;
    for (size_t back = 1; back <= i && events[i - back] >= first; back++) {
        if (back > most || !k->looks)
            return false;
        k->looks--;
        look(k, events[i - back], events[i]);
    }
    return true;
}

static void walk_location(struct walk *k, uint32_t loc)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(k->w->t, HD_OBJ_LOC, loc, &n);
    bool few = k->o->must && k->w->n_threads <= FEW_THREADS, whole = true;
    size_t i = 1;
    k->looks = (uint64_t)LOOKS * n;
    for (; i < n && k->looks && k->left[loc] && !hd_stop_often(i); i++)
        whole = look_back(k, events, i, few) && whole;
    k->whole[loc] = whole && i >= n;
}

/* Whether no pair of a group that was not met is open. */
static bool is_closed(const struct walk *k, uint32_t id)
{
    const struct hd_group *group = hd_vec_at(&k->c->groups, id);
    bool whole = k->out[id].a == HD_EID_NONE;
    for (uint32_t i = group->start; i < group->end && whole; i++)
        whole = k->whole[link_loc(k->c, i)];
    return whole;
}

static void init(struct walk *k)
{
    bool fresh;
    k->left = hd_calloc(hd_trace_n_objs(k->w->t, HD_OBJ_LOC), sizeof *k->left);
    k->whole = hd_calloc(hd_trace_n_objs(k->w->t, HD_OBJ_LOC), sizeof *k->whole);
    k->out = hd_alloc(k->c->groups.len * sizeof *k->out);
    for (uint32_t i = 0; i < k->c->groups.len; i++) {
        const struct hd_group *group = hd_vec_at(&k->c->groups, i);
        k->out[i] = (struct hd_near){HD_EID_NONE, HD_EID_NONE, false};
        *hd_map_put(&k->group_of, places_key(group->place_x, group->place_y), &fresh) = i;
    }
    for (uint32_t i = 0; i < k->c->links.len; i++)
        k->left[link_loc(k->c, i)]++;
}

struct hd_near *hd_near_find(const struct hd_world *w, const struct hd_candidates *c,
                             const struct hd_near_options *options)
{
    struct walk k = {.w = w, .c = c, .o = options};
    init(&k);
    for (uint32_t i = 0; i < c->sites.len && !hd_stop_often(i); i++) {
        uint32_t loc = hd_site_at(c, i)->loc;
        if (i && hd_site_at(c, i - 1)->loc == loc)
            continue;
        walk_location(&k, loc);
    }
    for (uint32_t i = 0; i < c->groups.len; i++)
        k.out[i].closed = is_closed(&k, i);
    hd_free(k.whole, hd_trace_n_objs(w->t, HD_OBJ_LOC) * sizeof *k.whole);
    hd_free(k.left, hd_trace_n_objs(w->t, HD_OBJ_LOC) * sizeof *k.left);
    hd_map_fini(&k.group_of);
    return k.out;
}
