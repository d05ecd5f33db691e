#include "trace/owner.h"

#include <string.h>

#define LONGEST 32   /* steps up forks or joins: beyond that nothing is ordered */
#define LARGEST 1024 /* threads in a set: each longer one is a copy */

void hd_owners_init(struct hd_owners *o)
{
    *o = (struct hd_owners){.threads = HD_VEC_INIT(struct hd_owner_thread),
                            .sets = HD_VEC_INIT(struct hd_u32vec)};
    hd_u32vec_push(&o->thread_of, 0);
    *(struct hd_u32vec *)hd_vec_push(&o->sets) = (struct hd_u32vec){0};
}

void hd_owners_fini(struct hd_owners *o)
{
    for (size_t i = 0; i < o->sets.len; i++)
        hd_u32vec_fini(hd_vec_at(&o->sets, i));
    hd_vec_fini(&o->sets);
    hd_vec_fini(&o->threads);
    hd_u32vec_fini(&o->thread_of);
    hd_map_fini(&o->set_ids);
}

static struct hd_owner_thread *thread_at(struct hd_owners *o, uint32_t thread)
{
    while (o->threads.len <= thread)
        *(struct hd_owner_thread *)hd_vec_push(&o->threads) = (struct hd_owner_thread){0};
    return hd_vec_at(&o->threads, thread);
}

static uint32_t new_segment(struct hd_owners *o, uint32_t thread)
{
    uint32_t segment = (uint32_t)o->thread_of.len;
    hd_u32vec_push(&o->thread_of, thread);
    thread_at(o, thread)->segment = segment;
    return segment;
}

uint32_t hd_owners_segment(struct hd_owners *o, uint32_t thread)
{
    uint32_t segment = thread_at(o, thread)->segment;
    return segment ? segment : new_segment(o, thread);
}

void hd_owners_fork(struct hd_owners *o, uint32_t thread, uint32_t child)
{
    uint32_t before = hd_owners_segment(o, thread);
    struct hd_owner_thread *t = thread_at(o, child);
    if (t->segment || child == thread)
        return; /* it ran before: nothing is ordered by this */
    t->parent = thread;
    t->forked_in = before;
    new_segment(o, child);
    new_segment(o, thread);
}

void hd_owners_join(struct hd_owners *o, uint32_t thread, uint32_t other)
{
    hd_owners_segment(o, thread);
    uint32_t after = new_segment(o, thread);
    struct hd_owner_thread *t = thread_at(o, other);
    if (t->joined_in || other == thread)
        return;
    t->joiner = thread;
    t->joined_in = after;
}

/* The thread at this point and those that joined it, up the chain: is one of them `thread`, no
 * later than `segment`? */
static bool joins_up(const struct hd_owners *o, uint32_t from, uint32_t point, uint32_t thread,
                     uint32_t segment)
{
    for (int i = 0; i < LONGEST; i++) {
        if (from == thread)
            return point <= segment;
        const struct hd_owner_thread *t = hd_vec_at(&o->threads, from);
        if (!t->joined_in)
            return false;
        from = t->joiner;
        point = t->joined_in;
    }
    return false;
}

static bool is_before(const struct hd_owners *o, uint32_t segment, uint32_t thread)
{
    uint32_t from = o->thread_of.data[segment];
    const struct hd_owner_thread *t = hd_vec_at(&o->threads, thread);
    uint32_t at = t->segment;
    for (int i = 0; i < LONGEST; i++) {
        if (joins_up(o, from, segment, thread, at))
            return true;
        t = hd_vec_at(&o->threads, thread);
        if (!t->forked_in)
            return false;
        thread = t->parent;
        at = t->forked_in;
    }
    return false;
}

/* Is the whole segment, as far as it goes, before what the thread does now? */
static bool is_ordered(struct hd_owners *o, uint32_t segment, uint32_t thread)
{
    uint32_t now = hd_owners_segment(o, thread);
    if (o->thread_of.data[segment] == thread)
        return true;
    struct hd_owner_asked *asked =
        &o->asked[(segment * 31 + now) % (sizeof o->asked / sizeof *o->asked)];
    if (asked->before != segment || asked->after != now)
        *asked = (struct hd_owner_asked){segment, now, is_before(o, segment, thread)};
    return asked->yes;
}

/* ---- sets of threads ---- */

static bool contains(const struct hd_u32vec *set, uint32_t thread)
{
    for (size_t i = 0; i < set->len; i++)
        if (set->data[i] == thread)
            return true;
    return false;
}

static uint64_t hash_of(const struct hd_u32vec *set)
{
    return hd_hash_bytes(set->data, set->len * sizeof *set->data, 1);
}

/* The number of an equal set; *set goes into the table or is freed. */
static uint32_t keep_set(struct hd_owners *o, struct hd_u32vec *set)
{
    for (uint64_t key = hash_of(set) | 1;; key += 2) {
        bool fresh;
        uint32_t *id = hd_map_put(&o->set_ids, key, &fresh);
        const struct hd_u32vec *other = fresh ? NULL : hd_vec_at(&o->sets, *id);
        if (fresh) {
            *id = (uint32_t)o->sets.len;
            *(struct hd_u32vec *)hd_vec_push(&o->sets) = *set;
            return *id;
        }
        if (other->len == set->len &&
            !memcmp(other->data, set->data, set->len * sizeof *set->data)) {
            hd_u32vec_fini(set);
            return *id;
        }
    }
}

static uint32_t with_thread(struct hd_owners *o, uint32_t id, uint32_t thread)
{
    const struct hd_u32vec *set = hd_vec_at(&o->sets, id);
    if (contains(set, thread))
        return id;
    uint64_t key = ((uint64_t)id << 32 | thread) << 1; /* even: keys of keep_set are odd */
    uint32_t known;
    if (hd_map_get(&o->set_ids, key, &known))
        return known;
    struct hd_u32vec more = {0};
    size_t i = 0;
    for (; i < set->len && set->data[i] < thread; i++)
        hd_u32vec_push(&more, set->data[i]);
    hd_u32vec_push(&more, thread);
    for (; i < set->len; i++)
        hd_u32vec_push(&more, set->data[i]);
    uint32_t made = keep_set(o, &more);
    *hd_map_put(&o->set_ids, key, NULL) = made;
    return made;
}

/* Are all threads of the set at their end, before what thread does now? Their latest segments
 * stand for them. */
static bool set_ordered(struct hd_owners *o, uint32_t id, uint32_t thread)
{
    const struct hd_u32vec *set = hd_vec_at(&o->sets, id);
    for (size_t i = 0; i < set->len; i++)
        if (set->data[i] != thread && !is_ordered(o, thread_at(o, set->data[i])->segment, thread))
            return false;
    return true;
}

bool hd_owners_only(const struct hd_owners *o, const struct hd_owner *state, uint32_t thread)
{
    if (hd_owner_shared(state) || state->read & HD_OWNER_SET)
        return false;
    return (!state->write || o->thread_of.data[state->write] == thread) &&
           (!state->read || o->thread_of.data[state->read] == thread);
}

static bool share(struct hd_owner *state)
{
    *state = (struct hd_owner){.write = HD_OWNER_SHARED};
    return false;
}

/* Without those that are before what the thread does now: what is after it is after them. */
static uint32_t without_ordered(struct hd_owners *o, uint32_t id, uint32_t thread)
{
    struct hd_u32vec less = {0};
    const struct hd_u32vec *set = hd_vec_at(&o->sets, id);
    for (size_t i = 0; i < set->len; i++)
        if (!is_ordered(o, thread_at(o, set->data[i])->segment, thread))
            hd_u32vec_push(&less, set->data[i]);
    return keep_set(o, &less);
}

static size_t set_size(const struct hd_owners *o, uint32_t id)
{
    return ((const struct hd_u32vec *)hd_vec_at(&o->sets, id))->len;
}

/* 0: too many. */
static uint32_t add_reader(struct hd_owners *o, uint32_t read, uint32_t thread)
{
    uint32_t id =
        read & HD_OWNER_SET ? read & ~HD_OWNER_SET : with_thread(o, 0, o->thread_of.data[read]);
    if (set_size(o, id) >= LARGEST)
        id = without_ordered(o, id, thread);
    return set_size(o, id) >= LARGEST ? 0 : with_thread(o, id, thread) | HD_OWNER_SET;
}

bool hd_owners_change(struct hd_owners *o, struct hd_owner *state, uint32_t thread, bool writes)
{
    uint32_t segment = hd_owners_segment(o, thread);
    if (state->write && !is_ordered(o, state->write, thread))
        return share(state);
    bool set = (state->read & HD_OWNER_SET) != 0;
    bool after =
        !state->read || (set ? writes && set_ordered(o, state->read & ~HD_OWNER_SET, thread)
                             : is_ordered(o, state->read, thread));
    if (writes && !after)
        return share(state);
    if (writes)
        *state = (struct hd_owner){.write = segment};
    else
        state->read = after ? segment : add_reader(o, state->read, thread);
    if (!writes && !state->read)
        return share(state);
    return true;
}
