#include "explore/guard.h"

#include "explore/freeze.h"
#include "log/rt_depend.h"

#define MAX_LOCKS 64  /* sets of locks are one word; further ones guard nothing */
#define MAX_SPAN  256 /* bytes of a range that are looked at */

struct cell {
    uint64_t threads, locks;
    bool written;
    uint32_t users; /* of accesses that start here: the first one + 1 */
};

/* The last access of a thread at a place. */
struct user {
    uint64_t site, locks, value;
    uint32_t thread, next;
    bool writes;
};

void hd_guards_init(struct hd_guards *g)
{
    *g = (struct hd_guards){.cells = HD_VEC_INIT(struct cell), .users = HD_VEC_INIT(struct user)};
}

void hd_guards_fini(struct hd_guards *g)
{
    hd_map_fini(&g->lock_of);
    hd_map_fini(&g->byte_of);
    hd_map_fini(&g->pairs);
    hd_map_fini(&g->tally);
    hd_vec_fini(&g->cells);
    hd_vec_fini(&g->users);
}

void hd_guards_freeze(struct hd_guards *g, struct hd_freezer *z)
{
    hd_freeze_map(z, &g->lock_of);
    hd_freeze_u32(z, &g->n_locks);
    hd_freeze_map(z, &g->byte_of);
    hd_freeze_len(z, &g->cells);
    for (size_t i = 0; i < g->cells.len; i++) {
        struct cell *c = hd_vec_at(&g->cells, i); /* its users are those of one execution */
        hd_freeze_u64(z, &c->threads);
        hd_freeze_u64(z, &c->locks);
        hd_freeze_bool(z, &c->written);
    }
    hd_freeze_map(z, &g->pairs);
    hd_freeze_map(z, &g->tally);
    for (size_t i = 0; i < g->byte_of.cap; i++)
        if (g->byte_of.slots[i].round == g->byte_of.round)
            z->bad = z->bad || g->byte_of.slots[i].value >= g->cells.len;
}

static uint64_t lock_bit(struct hd_guards *g, uint64_t lock)
{
    bool fresh;
    uint32_t *number = hd_map_put(&g->lock_of, lock, &fresh);
    if (fresh)
        *number = g->n_locks++;
    return *number < MAX_LOCKS ? UINT64_C(1) << *number : 0;
}

static bool is_new(struct hd_guards *g, const struct user *a, const struct user *b)
{
    const struct user *low = a->site < b->site ? a : b, *high = low == a ? b : a;
    uint64_t places = hd_hash_mix(low->site) + high->site;
    uint64_t values = hd_hash_mix(hd_hash_mix(places + low->value) + high->value);
    bool fresh;
    uint32_t *n = hd_map_put(&g->tally, places, NULL);
    if (*n >= HD_GUARDS_VALUES)
        return false;
    hd_map_put(&g->pairs, values, &fresh);
    *n += fresh;
    return fresh;
}

static bool see_user(struct hd_guards *g, uint32_t cell, const struct user *now)
{
    uint32_t *head = &((struct cell *)hd_vec_at(&g->cells, cell))->users;
    struct user *own = NULL;
    bool fresh = false;
    for (uint32_t at = *head; at;) {
        struct user *u = hd_vec_at(&g->users, at - 1);
        if (u->thread == now->thread && u->site == now->site && u->locks == now->locks)
            own = u;
        if (u->thread != now->thread && (u->writes || now->writes) && !(u->locks & now->locks))
            fresh = is_new(g, u, now) || fresh;
        at = u->next;
    }
    if (own) {
        own->value = now->value;
        return fresh;
    }
    struct user *u = hd_vec_push(&g->users);
    *u = *now;
    u->next = *head;
    *head = (uint32_t)g->users.len;
    return fresh;
}

static uint32_t cell_of(struct hd_guards *g, uint64_t byte)
{
    bool fresh;
    uint32_t *at = hd_map_put(&g->byte_of, byte, &fresh);
    if (fresh) {
        *at = (uint32_t)g->cells.len;
        *(struct cell *)hd_vec_push(&g->cells) = (struct cell){.locks = UINT64_MAX};
    }
    return *at;
}

static bool see_access(struct hd_guards *g, const struct hd_steer_op *o, uint64_t held)
{
    for (uint32_t i = 0; i < o->size && i < MAX_SPAN; i++) {
        struct cell *c = hd_vec_at(&g->cells, cell_of(g, o->addr + i));
        c->threads |= UINT64_C(1) << o->thread;
        c->locks &= held;
        c->written = c->written || hd_steer_writes(o->kind);
    }
    struct user now = {.site = o->site,
                       .locks = held,
                       .value = o->value,
                       .thread = o->thread,
                       .writes = hd_steer_writes(o->kind)};
    return o->size && !hd_steer_is_atomic(o->kind) && see_user(g, cell_of(g, o->addr), &now);
}

static uint64_t held_after(struct hd_guards *g, const struct hd_steer_op *o, uint64_t held)
{
    uint64_t lock = hd_steer_lock(o);
    switch (o->kind) {
    case HD_LOG_ACQ:
    case HD_LOG_RACQ:
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        return held | lock_bit(g, lock);
    case HD_LOG_REL:
    case HD_LOG_RREL:
    case HD_LOG_WAIT:
        return held & ~lock_bit(g, lock);
    default:
        return held;
    }
}

/* Who used a byte in another execution says nothing about pairs of this one. */
static void forget_users(struct hd_guards *g)
{
    g->users.len = 0;
    for (size_t i = 0; i < g->cells.len; i++)
        ((struct cell *)hd_vec_at(&g->cells, i))->users = 0;
}

bool hd_guards_see(struct hd_guards *g, const struct hd_exec_run *run, struct hd_steer_op *fresh)
{
    uint64_t held[HD_STEER_THREADS] = {0};
    uint32_t alive = 1;
    bool any = false;
    forget_users(g);
    for (size_t k = 0; k < run->ops.len; k++) {
        const struct hd_steer_op *o = &hd_run_op(run, k)->op;
        if (o->thread >= HD_STEER_THREADS)
            continue;
        alive += o->kind == HD_LOG_FORK;
        alive -= o->kind == HD_LOG_JOIN && alive > 1;
        if (hd_steer_is_access(o->kind)) {
            bool is_fresh = alive > 1 && see_access(g, o, held[o->thread]);
            if (is_fresh && !any && fresh)
                *fresh = *o;
            any = any || is_fresh;
        } else {
            held[o->thread] = held_after(g, o, held[o->thread]);
        }
    }
    return any;
}

bool hd_guards_open(const struct hd_guards *g, const struct hd_steer_op *o)
{
    for (uint32_t i = 0; i < o->size && i < MAX_SPAN; i++) {
        uint32_t at;
        if (!hd_map_get(&g->byte_of, o->addr + i, &at))
            continue;
        const struct cell *c = hd_vec_at(&g->cells, at);
        if (c->written && c->locks == 0 && (c->threads & (c->threads - 1)))
            return true;
    }
    return false;
}
