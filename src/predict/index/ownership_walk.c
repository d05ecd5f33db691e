#include "predict/index/ownership_int.h"

#include "base/stop.h"
#include "predict/index/guarded.h"

void hd_ownership_rule_out(struct hd_ownership *k, uint32_t id)
{
    if (k->guessing)
        return;
    hd_u32vec_push(&k->ruled_out, id);
    k->changed = true;
}

/* The location does not belong to its object. */
static void leave_out(struct hd_ownership *k, struct hd_owned_loc *x)
{
    if (k->guessing)
        return;
    x->domain = x->lock && x->domain == HD_DOMAIN_OBJECT ? HD_DOMAIN_LOCK : HD_DOMAIN_NONE;
    x->of = x->lock - 1;
    k->changed = k->left_out = true;
}

bool hd_ownership_knows(const struct hd_ownership *k, uint32_t id)
{
    const struct hd_owned_object *v = hd_owned_at(k, id);
    return v->round == k->round && v->has && !v->out;
}

struct hd_owned_object *hd_ownership_known(const struct hd_ownership *k, uint32_t id)
{
    struct hd_owned_object *v = hd_owned_at(k, id);
    if (v->round != k->round) {
        v->round = k->round;
        v->has = v->added = v->open = v->closed = v->inside = false;
        v->units = 0;
        v->seen = v->left = 0;
    }
    return v;
}

struct hd_owned_loc *hd_owned_loc(const struct hd_ownership *k, uint32_t loc)
{
    struct hd_owned_loc *x = &k->loc[loc];
    if (x->round != k->round) {
        x->round = k->round;
        x->at = x->content = x->written = 0;
        x->read = HD_EID_NONE;
    }
    return x;
}

/* Whether a link of this slot may hold anything while the object is at a place of that slot. */
static bool is_dead(const struct hd_ownership *k, uint32_t link, uint32_t place)
{
    uint32_t one;
    return hd_map_get(&k->dead, (uint64_t)link << 32 | place, &one);
}

static void mark_dead(struct hd_ownership *k, uint32_t link, uint32_t place)
{
    if (k->guessing)
        return;
    *hd_map_put(&k->dead, (uint64_t)link << 32 | place, NULL) = 1;
    k->changed = true;
}

/* True: the link came with its object, and may hold anything. */
static bool came_dead(struct hd_ownership *k, uint32_t loc)
{
    const struct hd_owned_loc *x = hd_owned_loc(k, loc);
    if (x->domain != HD_DOMAIN_OBJECT)
        return false;
    const struct hd_owned_object *c = hd_owned_at(k, x->of);
    if (x->written == c->holding)
        return false;
    return (c->closed && k->loc[x->slot].open) || (c->slot && is_dead(k, x->slot, c->slot - 1));
}

/* True: the thread has the object, or holds the lock, whenever its event at `pos` is enabled. */
static bool has_domain(const struct hd_ownership *k, const struct hd_owned_loc *x, uint32_t pos)
{
    if (x->domain == HD_DOMAIN_LOCK)
        return k->held_at[x->of] == k->round;
    return x->domain == HD_DOMAIN_OBJECT && hd_ownership_has_parts(k, x->of, pos);
}

void hd_ownership_learn(struct hd_ownership *k, uint32_t id, uint32_t slot, hd_eid read,
                        uint32_t since)
{
    struct hd_owned_object *v = hd_ownership_known(k, id);
    v->has = true;
    v->added = false;
    v->number = -1;
    v->holding = ++k->holdings;
    v->slot = slot;
    v->place = 0;
    v->read = read;
    v->since = since;
    v->open = slot == HD_SLOT_OPEN + 1;
    v->closed = false;
}

static void put(struct hd_ownership *k, uint32_t id, uint32_t loc)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    hd_owned_at(k, id)->place = loc + 1;
    hd_owned_at(k, id)->added = false;
    x->at = id;
    if (x->domain == HD_DOMAIN_LOCK)
        hd_u32vec_push(&k->placed, loc);
}

/* The location may hold the address of an object whose place it is not. */
void hd_ownership_spoil(struct hd_ownership *k, uint32_t loc, uint32_t id)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    x->at = 0;
    x->content = id;
    if (x->domain == HD_DOMAIN_LOCK)
        hd_u32vec_push(&k->spoiled, loc);
}

/* True: who takes something from the location holds its lock, and need not have its object: a queue
 * that a thread has for itself, into which others put what they have for it. */
static bool is_rather_of_lock(const struct hd_ownership *k, const struct hd_owned_loc *x,
                              uint32_t pos)
{
    return x->domain == HD_DOMAIN_OBJECT && x->lock && k->held_at[x->lock - 1] == k->round &&
           !hd_ownership_has_parts(k, x->of, pos);
}

/* If the read is fresh, the location is the place of what it returns, and the thread has that. */
static void read_address(struct hd_ownership *k, hd_eid e, uint32_t loc)
{
    const struct hd_trace *t = k->t;
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    uint32_t id = hd_owned_of(k, hd_trace_read_value(t, e)), since = k->needed_at[e];
    if (id && since != UINT32_MAX && is_rather_of_lock(k, x, t->pos[e]))
        leave_out(k, x);
    if (!id || x->content || !has_domain(k, x, t->pos[e]) || came_dead(k, loc))
        return;
    if (hd_ownership_is_unit(k, loc, id)) {
        hd_ownership_see_unit(k, id, loc, since);
    } else if (x->at == id && hd_ownership_knows(k, id)) {
        struct hd_owned_object *v = hd_owned_at(k, id);
        if (since < v->since) {
            v->since = since;
            v->read = e;
        }
    } else if (x->at || hd_ownership_knows(k, id)) {
        hd_ownership_rule_out(k, x->at ? x->at : id);
    } else {
        hd_ownership_learn(k, id, hd_ownership_slot_at(k, loc) + 1, e, since);
        put(k, id, loc);
    }
}

/* True: w stores the address only if the thread has the object. */
static bool is_entitled(const struct hd_ownership *k, uint32_t id, hd_eid w)
{
    const struct hd_owned_object *v = hd_owned_at(k, id);
    return hd_ownership_knows(k, id) &&
           (v->since <= k->t->pos[w] ||
            (v->read != HD_EID_NONE && hd_guarded_depends(k->t, w, v->read)));
}

static void write_address(struct hd_ownership *k, hd_eid e, uint32_t loc)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    uint32_t id = hd_owned_of(k, hd_trace_write_value(k->t, e));
    if (x->at && hd_ownership_is_unit(k, loc, x->at)) {
        hd_ownership_take_unit(k, loc);
    } else if (x->at) {
        hd_owned_at(k, x->at)->place = 0; /* now it is in the thread's hands */
        hd_owned_at(k, x->at)->added = false;
    }
    x->at = x->content = 0;
    if (x->domain == HD_DOMAIN_OBJECT && hd_ownership_has_parts(k, x->of, UINT32_MAX))
        x->written = hd_owned_at(k, x->of)->holding;
    if (!id)
        return;
    if (!has_domain(k, x, k->t->pos[e]))
        leave_out(k, x);
    if (!has_domain(k, x, k->t->pos[e])) /* nor the lock that it is left to */
        return;
    if (hd_ownership_is_unit(k, loc, id)) {
        if (!hd_ownership_give_unit(k, id, loc, k->t->pos[e], true))
            hd_ownership_spoil(k, loc, id);
    } else if (is_entitled(k, id, e)) {
        uint32_t before = hd_owned_at(k, id)->place;
        if (before)
            hd_ownership_spoil(k, before - 1, id);
        put(k, id, loc);
    } else {
        if (k->guessing && hd_ownership_known(k, id)->units)
            k->loc[x->slot].unit = k->changed = true;
        hd_ownership_spoil(k, loc, id);
    }
}

/* Others will see the location: what it holds must be in the thread's hands, and is put there. */
static bool settle(struct hd_ownership *k, uint32_t loc, uint32_t pos)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    uint32_t id = x->content;
    const struct hd_owned_object *v = hd_owned_at(k, id);
    x->content = 0;
    if (v->out)
        return true;
    if (hd_ownership_is_unit(k, loc, id))
        return hd_ownership_give_unit(k, id, loc, pos, false);
    if (!hd_ownership_knows(k, id) || v->place || v->since > pos)
        return false;
    put(k, id, loc);
    return true;
}

/* place: the slot of the object's place. */
static void drop_link(struct hd_ownership *k, uint32_t loc, uint32_t place, uint32_t pos)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    if (x->domain != HD_DOMAIN_OBJECT)
        return;
    if (!is_dead(k, x->slot, place) && (came_dead(k, loc) || (x->content && !settle(k, loc, pos))))
        mark_dead(k, x->slot, place);
    if (x->at && hd_ownership_is_unit(k, loc, x->at))
        hd_ownership_forget_unit(k, loc);
    else if (x->at)
        hd_u32vec_push(&k->stack, x->at);
    x->at = x->content = 0;
}

static void drop_links(struct hd_ownership *k, const struct hd_owned_object *v, uint32_t slot,
                       uint32_t pos)
{
    for (uint32_t link = v->links; link; link = k->loc[link - 1].next_link)
        drop_link(k, link - 1, slot, pos);
}

/* Pushes what the links lead to that go with it. */
static void drop_one(struct hd_ownership *k, uint32_t id, uint32_t slot, uint32_t pos)
{
    struct hd_owned_object *v = hd_owned_at(k, id);
    bool open = v->open;
    if (k->guessing && v->added && v->place)
        k->loc[k->loc[v->place - 1].slot].unit = k->changed = true;
    v->has = false;
    v->units = 0;
    v->open = slot == HD_SLOT_OPEN;
    if (open && !v->open && v->inside)
        hd_ownership_close(v);
    else if (open && !v->open)
        hd_ownership_rule_out(k, id);
    bool keeps = v->open && (v->inside || open); /* open and not inside: no link is known */
    if (!keeps)
        drop_links(k, v, slot, pos);
}

static void drop_stack(struct hd_ownership *k, size_t base, uint32_t pos)
{
    while (k->stack.len > base) {
        uint32_t id = k->stack.data[--k->stack.len];
        drop_one(k, id, hd_ownership_slot_at(k, hd_owned_at(k, id)->place - 1), pos);
    }
}

/* The thread has the object no more, nor what its links lead to. */
void hd_ownership_drop(struct hd_ownership *k, uint32_t id, uint32_t slot, uint32_t pos)
{
    size_t base = k->stack.len; /* giving a unit of what a link leads to may drop that, too */
    drop_one(k, id, slot, pos);
    drop_stack(k, base, pos);
}

void hd_ownership_drop_links(struct hd_ownership *k, uint32_t id, uint32_t pos)
{
    size_t base = k->stack.len;
    drop_links(k, hd_owned_at(k, id), HD_SLOT_OPEN, pos);
    drop_stack(k, base, pos);
}

/* Others will see the location, which is the place of an object, or has a unit of one. */
static void give_location(struct hd_ownership *k, uint32_t loc, uint32_t pos)
{
    struct hd_owned_loc *x = hd_owned_loc(k, loc);
    uint32_t id = x->at;
    if (hd_ownership_is_unit(k, loc, id))
        hd_ownership_forget_unit(k, loc);
    else
        hd_ownership_drop(k, id, hd_ownership_slot_at(k, loc), pos);
    x->at = 0;
}

/* The thread gives the lock back, and with it what the locations of the lock lead to. */
static void give_back(struct hd_ownership *k, uint32_t lock, uint32_t pos)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->spoiled.len; i++) {
        struct hd_owned_loc *x = hd_owned_loc(k, k->spoiled.data[i]);
        uint32_t content = x->content;
        if (x->content && x->of != lock)
            k->spoiled.data[kept++] = k->spoiled.data[i];
        else if (x->content && !settle(k, k->spoiled.data[i], pos))
            hd_ownership_rule_out(k, content);
    }
    k->spoiled.len = kept;
    kept = 0;
    for (size_t i = 0; i < k->placed.len; i++) {
        struct hd_owned_loc *x = hd_owned_loc(k, k->placed.data[i]);
        uint32_t id = x->at;
        if (id && x->of != lock) {
            k->placed.data[kept++] = k->placed.data[i];
        } else if (id) {
            give_location(k, k->placed.data[i], pos);
        }
    }
    k->placed.len = kept;
}

static void walk_lock(struct hd_ownership *k, hd_eid e)
{
    uint32_t id = hd_section_of(k->sections, e);
    if (id == HD_SECTION_NONE)
        return;
    const struct hd_section *s = hd_section_at(k->sections, id);
    if (s->shared)
        return;
    if (s->close == e) {
        give_back(k, s->lock, k->t->pos[e]);
        hd_ownership_leave(k, s->lock, k->t->pos[e]);
    } else {
        hd_ownership_enter(k, s->lock);
    }
    k->held_at[s->lock] = s->close == e ? 0 : k->round;
}

static void walk_access(struct hd_ownership *k, hd_eid e)
{
    const struct hd_trace *t = k->t;
    uint32_t loc = t->obj[e];
    const struct hd_owned_loc *x = &k->loc[loc];
    bool object = x->domain == HD_DOMAIN_OBJECT && !hd_owned_at(k, x->of)->out;
    if (object && k->emit)
        k->owned[e] += (k->inner ? HD_OWNED_VIEW : 1) * hd_ownership_share(k, x->of, t->pos[e]);
    if (x->count_of && !hd_owned_at(k, x->count_of)->out)
        hd_ownership_count(k, e);
    if (!x->holds || !(object || x->domain == HD_DOMAIN_LOCK))
        return;
    if (hd_op_reads(t->op[e]))
        read_address(k, e, loc);
    if (hd_op_writes(t->op[e]))
        write_address(k, e, loc);
}

static void walk_thread(struct hd_ownership *k, hd_tid u)
{
    const struct hd_trace *t = k->t;
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    k->round++;
    k->placed.len = k->spoiled.len = 0;
    k->holdings = 0;
    for (uint32_t id = k->first_of[u]; id; id = hd_owned_at(k, id)->next_first)
        if (!hd_owned_at(k, id)->placed)
            hd_ownership_learn(k, id, 0, HD_EID_NONE, 0);
    for (size_t i = 0; i < n && !hd_stop_often(i); i++) {
        hd_eid e = events[i];
        if (hd_op_is_access(t->op[e]) && hd_stretch_has(k->span, e))
            walk_access(k, e);
        else if (!hd_op_is_access(t->op[e]))
            walk_lock(k, e);
    }
}

/* What contradicts a walk may do so only because of a location that this walk has left out, or of a
 * count that is none: then the next one will tell. */
static void settle_walk(struct hd_ownership *k)
{
    if (k->left_out)
        return;
    for (size_t i = 0; i < k->uncounted.len; i++) {
        struct hd_owned_object *v = hd_owned_at(k, k->uncounted.data[i]);
        if (v->count)
            k->loc[v->count - 1].count_of = 0;
        v->count = v->guard = 0;
    }
    for (size_t i = 0; i < k->ruled_out.len && !k->uncounted.len; i++)
        hd_owned_at(k, k->ruled_out.data[i])->out = true;
}

void hd_ownership_walk(struct hd_ownership *k)
{
    k->changed = k->left_out = false;
    k->uncounted.len = k->ruled_out.len = 0;
    hd_ownership_first(k);
    hd_ownership_begin_counts(k);
    for (hd_tid u = 0; u < hd_trace_n_threads(k->t) && hd_stop_now() == HD_STOP_NO; u++)
        walk_thread(k, u);
    hd_ownership_end_counts(k);
    settle_walk(k);
}
