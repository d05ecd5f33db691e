#include "predict/index/ownership_int.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "predict/index/guarded.h"

/* What one event may add to a count, so that sums can not overflow. */
#define MAX_STEP (INT64_C(1) << 32)
/* The guard of a count that is changed by rmw only. */
#define NO_GUARD_NEEDED UINT32_MAX
/* How many held locks of an event are looked at, innermost first. */
enum { LOOK_LIMIT = 8, MOST_LOCKS = 4 };

/* ---- units ---- */

bool hd_ownership_is_unit(const struct hd_ownership *k, uint32_t loc, uint32_t id)
{
    return hd_owned_at(k, id)->count && k->loc[k->loc[loc].slot].unit;
}

uint8_t hd_ownership_share(const struct hd_ownership *k, uint32_t id, uint32_t pos)
{
    const struct hd_owned_object *v = hd_owned_at(k, id);
    if (v->round != k->round)
        return 0;
    if (hd_ownership_has_parts(k, id, pos))
        return 2;
    return (v->units > 0 && v->units_since <= pos) || (v->seen && v->seen_since <= pos);
}

void hd_ownership_see_unit(struct hd_ownership *k, uint32_t id, uint32_t loc, uint32_t since)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    if (x->at && x->at != id) {
        hd_ownership_rule_out(k, x->at);
        return;
    }
    if (!x->at || since < x->since)
        x->since = since;
    if (!x->at && x->domain == HD_DOMAIN_LOCK)
        hd_u32vec_push(&k->placed, loc);
    x->at = id;
    if (!v->seen || x->since <= v->seen_since) {
        v->seen = loc + 1;
        v->seen_since = x->since;
    }
}

void hd_ownership_forget_unit(struct hd_ownership *k, uint32_t loc)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    struct hd_owned_object *v = hd_ownership_known(k, x->at);
    if (v->seen == loc + 1)
        v->seen = 0;
}

void hd_ownership_take_unit(struct hd_ownership *k, uint32_t loc)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    struct hd_owned_object *v = hd_ownership_known(k, x->at);
    hd_ownership_forget_unit(k, loc);
    if (!v->units || x->since > v->units_since)
        v->units_since = x->since;
    v->units++;
}

/* The unit of the location that the thread sees is the thread's. False: it sees none for certain.
 */
static bool take_seen(struct hd_ownership *k, uint32_t id, uint32_t pos)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    if (!v->seen || v->seen_since > pos)
        return false;
    hd_ownership_spoil(k, v->seen - 1, id);
    v->seen = 0;
    return true;
}

/* True: one of the units that the thread has is taken from it. */
static bool part_with_unit(struct hd_ownership *k, uint32_t id, uint32_t pos, bool moves)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    if (v->has && v->since <= pos) {
        int64_t number = v->number;
        if (number < 1 || (v->place && !moves) || !hd_ownership_has_parts(k, id, pos))
            return false;
        if (v->place)
            hd_ownership_spoil(k, v->place - 1, id);
        hd_ownership_drop(k, id, v->count - 1, pos);
        v->units = number - 1;
        v->units_since = pos;
        return true;
    }
    if (v->units > 0 && v->units_since <= pos)
        v->units--;
    else if (!moves || !take_seen(k, id, pos))
        return false;
    v->has = false; /* if it would have had it, now it has not */
    return true;
}

bool hd_ownership_give_unit(struct hd_ownership *k, uint32_t id, uint32_t loc, uint32_t pos,
                            bool moves)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    if (!part_with_unit(k, id, pos, moves))
        return false;
    x->at = id;
    x->since = v->seen_since = pos;
    v->seen = loc + 1;
    if (x->domain == HD_DOMAIN_LOCK)
        hd_u32vec_push(&k->placed, loc);
    return true;
}

/* ---- the count ---- */

/* True: the thread reads n, and that all units are its own follows if the read is fresh. */
static bool has_all(const struct hd_ownership *k, const struct hd_owned_object *v, hd_eid e,
                    uint64_t n)
{
    uint32_t pos = k->t->pos[e], section = 0;
    if (!v->guard || v->seen || n > INT32_MAX)
        return false;
    if (v->guard != NO_GUARD_NEEDED) {
        section = hd_guarded_section(k->sections, e, v->guard - 1);
        if (!section)
            return false;
    }
    if (v->units > 0 && v->units_since <= pos)
        return n == (uint64_t)v->units;
    return !n && section && v->left == section;
}

static void read_count(struct hd_ownership *k, hd_eid e)
{
    struct hd_owned_loc *x = hd_owned_loc(k, k->t->obj[e]);
    struct hd_owned_object *v = hd_ownership_known(k, x->count_of);
    struct hd_value value = hd_trace_read_value(k->t, e);
    uint32_t since = k->needed_at[e];
    x->read = e;
    if (value.unique || since == UINT32_MAX || v->has || !has_all(k, v, e, value.bits))
        return;
    hd_ownership_learn(k, x->count_of, v->count, e, since);
    v->number = (int64_t)value.bits;
}

/* Keeps the locks that guard this change of a count, too. */
static void narrow_locks(struct hd_ownership *k, struct hd_owned_object *v, hd_eid r, hd_eid w)
{
    const struct hd_sections *s = k->sections;
    uint32_t kept = 0;
    int looked = 0;
    for (uint32_t n = hd_held(s, w);
         !v->changed && n != HD_HELD_EMPTY && looked < LOOK_LIMIT && v->n_locks < MOST_LOCKS;
         n = hd_held_at(s, n)->next, looked++)
        v->locks[v->n_locks++] = hd_section_at(s, hd_held_at(s, n)->section)->lock;
    v->changed = true;
    v->plain |= r != w;
    for (uint32_t i = 0; i < v->n_locks; i++) {
        uint32_t section = hd_guarded_section(s, w, v->locks[i]);
        if (section && section == hd_guarded_section(s, r, v->locks[i]))
            v->locks[kept++] = v->locks[i];
    }
    v->n_locks = kept;
}

/* The read that w adds something to; HD_EID_NONE: there is none. */
static hd_eid base_of(const struct hd_ownership *k, hd_eid w, hd_eid last_read, int64_t *step)
{
    const struct hd_trace *t = k->t;
    hd_eid r = t->op[w] == HD_OP_RMW ? w : last_read;
    if (r == HD_EID_NONE || !hd_guarded_depends(t, w, r))
        return HD_EID_NONE;
    struct hd_value from = hd_trace_read_value(t, r), to = hd_trace_write_value(t, w);
    *step = (int64_t)(to.bits - from.bits);
    bool adds = !from.unique && !to.unique && *step<MAX_STEP && * step> - MAX_STEP;
    return adds ? r : HD_EID_NONE;
}

/* One of those who share the object adds something to its count. False: that is not certain. */
static bool add_to_count(struct hd_ownership *k, uint32_t id, hd_eid w, int64_t step)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    uint32_t pos = k->t->pos[w];
    int64_t units = v->units_since <= pos ? v->units : 0;
    if (!hd_ownership_share(k, id, pos))
        return false;
    if (units + step < 0 && take_seen(k, id, pos))
        units++;
    if (units + step < 0)
        return false;
    v->units = units + step;
    v->units_since = pos;
    v->left = !v->units && v->guard && v->guard != NO_GUARD_NEEDED
                  ? hd_guarded_section(k->sections, w, v->guard - 1)
                  : 0;
    return true;
}

/* What seemed to be the count is none. */
static void drop_count(struct hd_ownership *k, uint32_t id)
{
    if (k->guessing)
        return;
    hd_u32vec_push(&k->uncounted, id);
    k->changed = true;
}

static void write_count(struct hd_ownership *k, hd_eid e)
{
    struct hd_owned_loc *x = hd_owned_loc(k, k->t->obj[e]);
    struct hd_owned_object *v = hd_ownership_known(k, x->count_of);
    struct hd_value value = hd_trace_write_value(k->t, e);
    int64_t step = 0;
    hd_eid r = base_of(k, e, x->read, &step);
    x->read = HD_EID_NONE;
    if (v->has)
        v->number = value.unique || value.bits > INT32_MAX ? -1 : (int64_t)value.bits;
    if (v->has && hd_ownership_has_parts(k, x->count_of, k->t->pos[e])) {
        v->added |= r != HD_EID_NONE && step > 0 && v->place;
        return;
    }
    if (r == HD_EID_NONE || !add_to_count(k, x->count_of, e, step))
        drop_count(k, x->count_of);
    else
        narrow_locks(k, v, r, e);
}

void hd_ownership_count(struct hd_ownership *k, hd_eid e)
{
    if (hd_op_reads(k->t->op[e]))
        read_count(k, e);
    if (hd_op_writes(k->t->op[e]))
        write_count(k, e);
}

/* ---- a walk over all threads ---- */

void hd_ownership_begin_counts(struct hd_ownership *k)
{
    for (uint32_t id = 1; id <= k->objects.len; id++) {
        struct hd_owned_object *v = hd_owned_at(k, id);
        v->n_locks = 0;
        v->changed = v->plain = false;
    }
}

void hd_ownership_end_counts(struct hd_ownership *k)
{
    for (uint32_t id = 1; id <= k->objects.len; id++) {
        struct hd_owned_object *v = hd_owned_at(k, id);
        uint32_t guard = 0;
        if (v->out || !v->count)
            continue;
        if (v->changed)
            guard = v->plain ? (v->n_locks ? v->locks[0] + 1 : 0) : NO_GUARD_NEEDED;
        if (v->changed && !guard)
            drop_count(k, id);
        k->changed |= v->guard != guard;
        v->guard = guard;
    }
}

/* ---- which location ---- */

/* How often something is added to the location, if something is taken from it, too. */
static uint32_t count_links(const struct hd_ownership *k, uint32_t loc)
{
    uint32_t up = 0, down = 0;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(k->locs, loc, &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid read = HD_EID_NONE;
        for (uint32_t j = users[i].start; j < users[i].end && !hd_stop_often(j); j++) {
            hd_eid e = k->locs->list[j];
            int64_t step = 0;
            if (hd_op_writes(k->t->op[e]) && base_of(k, e, read, &step) != HD_EID_NONE) {
                up += step > 0;
                down += step < 0;
            }
            read = hd_op_writes(k->t->op[e]) ? HD_EID_NONE : e;
        }
    }
    return up && down ? up + down : 0;
}

void hd_ownership_guess_counts(struct hd_ownership *k)
{
    uint32_t *best = hd_calloc(k->objects.len + 1, sizeof *best);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(k->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        uint32_t id = k->loc[loc].near;
        uint32_t links = id && !k->loc[loc].holds ? count_links(k, loc) : 0;
        if (links <= best[id])
            continue;
        struct hd_owned_object *v = hd_owned_at(k, id);
        if (v->count)
            k->loc[v->count - 1].count_of = 0;
        best[id] = links;
        v->count = loc + 1;
        k->loc[loc].count_of = id;
    }
    hd_free(best, (k->objects.len + 1) * sizeof *best);
}
