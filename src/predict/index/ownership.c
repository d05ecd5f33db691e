#include "predict/index/ownership_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "predict/index/guarded.h"

#include <string.h>

enum { MOST_ROUNDS = 30, MOST_GUESSES = 6 };

static bool is_address(struct hd_value value)
{
    return !value.unique && value.bits >= HD_OWNED_LEAST;
}

/* ---- which values ---- */

/* Whether e takes an address from a location that a lock protects. */
static bool takes(const struct hd_ownership *k, hd_eid e)
{
    const struct hd_trace *t = k->t;
    return hd_op_is_access(t->op[e]) && hd_op_reads(t->op[e]) && k->needed_at[e] != UINT32_MAX &&
           k->loc[t->obj[e]].domain == HD_DOMAIN_LOCK && is_address(hd_trace_read_value(t, e));
}

static void protect_locations(struct hd_ownership *k)
{
    for (uint32_t loc = 0; loc < hd_trace_n_objs(k->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        uint32_t locks[4];
        if (!hd_guarded_locks(k->locs, k->sections, loc, k->span, locks))
            continue;
        k->loc[loc].domain = HD_DOMAIN_LOCK;
        k->loc[loc].of = locks[0];
        k->loc[loc].lock = locks[0] + 1;
    }
}

/* Values that are read and matter, where some are taken under a lock. */
static void find_objects(struct hd_ownership *k)
{
    const struct hd_trace *t = k->t;
    bool any = false;
    for (hd_eid e = k->span.from; e < k->span.end && !any && !hd_stop_often(e); e++)
        any = takes(k, e);
    for (hd_eid e = k->span.from; e < k->span.end && any && !hd_stop_often(e); e++) {
        if (!hd_op_is_access(t->op[e]) || !hd_op_reads(t->op[e]) || k->needed_at[e] == UINT32_MAX ||
            !is_address(hd_trace_read_value(t, e)))
            continue;
        uint32_t *id = hd_map_put(&k->ids, hd_trace_read_value(t, e).bits, NULL);
        if (*id)
            continue;
        *(struct hd_owned_object *)hd_vec_push(&k->objects) = (struct hd_owned_object){0};
        *id = (uint32_t)k->objects.len;
    }
}

/* What threads do with the addresses that a location holds. */
enum { GIVES = 1, DOUBLES = 2 };

/* e writes an address: from where, and the one that its thread wrote last, too? */
static void note_address(const struct hd_ownership *k, hd_eid e, hd_eid last, uint8_t *uses)
{
    const struct hd_trace *t = k->t;
    struct hd_value value = hd_trace_write_value(t, e);
    struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_VALUE);
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid r = hd_trace_back(t, e, deps.dist[i]);
        if (hd_value_eq(hd_trace_read_value(t, r), value))
            uses[t->obj[r]] |= GIVES;
    }
    if (last != HD_EID_NONE && hd_value_eq(hd_trace_write_value(t, last), value)) {
        uses[t->obj[last]] |= DOUBLES;
        uses[t->obj[e]] |= DOUBLES;
    }
}

/* A location of a lock from which no thread takes or moves an address, and that gets one together
 * with another location: the tail of a queue, which holds what the head or the last link holds. */
static void leave_out_tails(struct hd_ownership *k)
{
    const struct hd_trace *t = k->t;
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC), threads = hd_trace_n_threads(t);
    uint8_t *uses = hd_calloc(n, 1);
    hd_eid *last = hd_alloc(threads * sizeof *last);
    memset(last, 0xff, threads * sizeof *last);
    for (hd_eid e = k->span.from; e < k->span.end && !hd_stop_often(e); e++) {
        if (!hd_op_is_access(t->op[e]))
            continue;
        if (hd_op_reads(t->op[e]) && k->needed_at[e] != UINT32_MAX &&
            is_address(hd_trace_read_value(t, e)))
            uses[t->obj[e]] |= GIVES;
        if (hd_op_writes(t->op[e]) && is_address(hd_trace_write_value(t, e))) {
            note_address(k, e, last[t->thread[e]], uses);
            last[t->thread[e]] = e;
        }
    }
    for (size_t loc = 0; loc < n; loc++)
        if (k->loc[loc].lock && uses[loc] == DOUBLES)
            k->loc[loc].domain = HD_DOMAIN_NONE;
    hd_free(last, threads * sizeof *last);
    hd_free(uses, n);
}

/* ---- where they are ---- */

static void note_first(struct hd_ownership *k, hd_eid e)
{
    uint32_t id = hd_owned_of(k, hd_trace_write_value(k->t, e));
    if (!id)
        return;
    struct hd_owned_object *v = hd_owned_at(k, id);
    k->loc[k->t->obj[e]].holds = true;
    if (v->first)
        return;
    hd_tid u = k->t->thread[e];
    v->first = u + 1;
    v->next_first = k->first_of[u];
    k->first_of[u] = id;
}

/* Which locations hold objects, which thread writes the address of each first. */
static void find_places(struct hd_ownership *k)
{
    const struct hd_trace *t = k->t;
    for (hd_eid e = k->span.from; e < k->span.end && !hd_stop_often(e); e++)
        if (hd_op_is_access(t->op[e]) && hd_op_writes(t->op[e]))
            note_first(k, e);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        struct hd_value value;
        struct hd_owned_loc *x = &k->loc[loc];
        uint32_t id = 0;
        if (x->domain != HD_DOMAIN_NONE && hd_guarded_first(t, loc, k->span, &value))
            id = hd_owned_of(k, value);
        x->holds |= id != 0;
        x->first = id;
        if (x->holds && x->domain == HD_DOMAIN_OBJECT) {
            x->next_link = hd_owned_at(k, x->of)->links;
            hd_owned_at(k, x->of)->links = loc + 1;
        }
    }
}

/* Walks that find out in which locations counted objects are shared. */
static void find_units(struct hd_ownership *k)
{
    k->guessing = k->changed = true;
    for (int i = 0; i < MOST_GUESSES && k->changed && hd_stop_now() == HD_STOP_NO; i++)
        hd_ownership_walk(k);
    k->guessing = false;
}

static void find(struct hd_ownership *k)
{
    protect_locations(k);
    find_objects(k);
    if (!k->objects.len)
        return;
    hd_ownership_guess(k);
    leave_out_tails(k);
    find_places(k);
    hd_ownership_slots(k);
    hd_ownership_guess_counts(k);
    find_units(k);
    k->changed = true;
    int walks = 0;
    for (; walks < MOST_ROUNDS && k->changed && hd_stop_now() == HD_STOP_NO; walks++)
        hd_ownership_walk(k);
    HD_DEBUG_LINE(PREDICT, "ownership: %d walks%s", walks, k->changed ? ", not settled" : "");
    if (k->changed || hd_stop_now() != HD_STOP_NO)
        return;
    k->emit = true;
    hd_ownership_walk(k);
}

static bool has_inner_lock(const struct hd_ownership *k)
{
    for (uint32_t id = 1; id <= k->objects.len; id++)
        if (hd_owned_at(k, id)->inner)
            return true;
    return false;
}

/* True: some object has a lock. inner: that is made use of. */
static bool find_view(const struct hd_trace *t, const struct hd_accesses *locs,
                      const uint32_t *needed_at, const struct hd_sections *sections, bool inner,
                      uint8_t *owned)
{
    size_t n_locs = hd_trace_n_objs(t, HD_OBJ_LOC), n_locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    struct hd_ownership k = {.t = t,
                             .locs = locs,
                             .needed_at = needed_at,
                             .sections = sections,
                             .owned = owned,
                             .span = hd_guarded_span(t),
                             .objects = HD_VEC_INIT(struct hd_owned_object),
                             .loc = hd_calloc(n_locs, sizeof *k.loc),
                             .first_of = hd_calloc(hd_trace_n_threads(t), sizeof *k.first_of),
                             .held_at = hd_calloc(n_locks, sizeof *k.held_at),
                             .inner_of = hd_calloc(n_locks, sizeof *k.inner_of),
                             .inner = inner};
    if (n_locks)
        find(&k);
    bool any = has_inner_lock(&k);
    hd_free(k.inner_of, n_locks * sizeof *k.inner_of);
    hd_free(k.held_at, n_locks * sizeof *k.held_at);
    hd_free(k.first_of, hd_trace_n_threads(t) * sizeof *k.first_of);
    hd_free(k.loc, n_locs * sizeof *k.loc);
    hd_vec_fini(&k.objects);
    hd_map_fini(&k.ids);
    hd_map_fini(&k.dead);
    hd_u32vec_fini(&k.uncounted);
    hd_u32vec_fini(&k.ruled_out);
    hd_u32vec_fini(&k.placed);
    hd_u32vec_fini(&k.spoiled);
    hd_u32vec_fini(&k.stack);
    return any;
}

void hd_ownership_find(const struct hd_trace *t, const struct hd_accesses *locs,
                       const uint32_t *needed_at, const struct hd_sections *sections,
                       uint8_t *owned)
{
    if (find_view(t, locs, needed_at, sections, false, owned))
        find_view(t, locs, needed_at, sections, true, owned);
}
