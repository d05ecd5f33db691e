/* Which operations of two threads depend on each other: swapping two neighbours that do not leaves
 * the state of the program and what both threads see unchanged. Shared by policy `steer`, which
 * wakes sleepers by it, and by the search.
 *
 * It is symmetric, and errs on the side of dependence:
 *   - accesses depend when they share a byte and one of them writes; FREE writes the whole block,
 *     GONE the whole local;
 *   - operations on one lock depend, unless both are of readers or both are failed tries;
 *   - SIG and BCAST depend on each other (two BCASTs do not) and on WAIT and TMO of the condition;
 *   - operations on a semaphore depend unless both are POST; LOOK sees its count; those on a pipe
 * or socket always do: the order of the data counts;
 *   - arrivals at a barrier depend: the last one gets another result;
 *   - pthread_once is a lock and a flag at the same address: a look at the flag inside the call
 * waits for the lock, so it depends on operations on it;
 *   - SET depends on LOOK and SET of the same state, and JOIN on the SET that marks the end;
 *   - what destroys an object depends on all that use or destroy it.
 * FORK, the leaving of a barrier and a WAKE after its notification depend on nothing by themselves:
 * what they come after is an order that no swap can change.
 */
#ifndef HEDDLE_RT_DEPEND_H
#define HEDDLE_RT_DEPEND_H

#include "log/rt_steer.h"

static inline bool hd_steer_is_access(unsigned kind)
{
    return (kind >= HD_LOG_READ && kind <= HD_LOG_RANGE_WRITE) || kind == HD_LOG_FREE ||
           kind == HD_LOG_GONE;
}

static inline bool hd_steer_writes(unsigned kind)
{
    return kind == HD_LOG_WRITE || kind == HD_LOG_AWRITE || kind == HD_LOG_RMW ||
           kind == HD_LOG_RANGE_WRITE || kind == HD_LOG_FREE || kind == HD_LOG_GONE;
}

static inline bool hd_steer_is_atomic(unsigned kind)
{
    return kind == HD_LOG_AREAD || kind == HD_LOG_AWRITE || kind == HD_LOG_RMW;
}

/* Something that another thread may notice. */
static inline bool hd_steer_visible(unsigned kind)
{
    if (kind == HD_LOG_BRANCH || kind == HD_LOG_BEGIN || kind == HD_LOG_LAST_EVENT)
        return false;
    return (kind >= HD_LOG_READ && kind < HD_LOG_LAST_EVENT) || kind == HD_LOG_REL_FOR ||
           kind == HD_LOG_RREL_FOR;
}

/* The lock that an operation is about; 0: none. */
static inline uint64_t hd_steer_lock(const struct hd_steer_op *o)
{
    switch (o->kind) {
    case HD_LOG_ACQ:
    case HD_LOG_REL:
    case HD_LOG_RACQ:
    case HD_LOG_RREL:
    case HD_LOG_TRYFAIL:
    case HD_LOG_REL_FOR:
    case HD_LOG_RREL_FOR:
        return o->addr;
    case HD_LOG_WAIT:
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        return o->other;
    default:
        return 0;
    }
}

static inline bool hd_steer_of_reader(unsigned kind)
{
    return kind == HD_LOG_RACQ || kind == HD_LOG_RREL || kind == HD_LOG_RREL_FOR;
}

static inline bool hd_steer_notifies(unsigned kind)
{
    return kind == HD_LOG_SIG || kind == HD_LOG_BCAST;
}

static inline bool hd_steer_of_cond(unsigned kind)
{
    return kind == HD_LOG_WAIT || kind == HD_LOG_TMO || hd_steer_notifies(kind);
}

static inline bool hd_steer_locks_depend(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    uint64_t l = hd_steer_lock(a);
    if (!l || l != hd_steer_lock(b))
        return false;
    if (hd_steer_of_reader(a->kind) && hd_steer_of_reader(b->kind))
        return false;
    return a->kind != HD_LOG_TRYFAIL || b->kind != HD_LOG_TRYFAIL;
}

static inline bool hd_steer_conds_depend(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    if (!hd_steer_of_cond(a->kind) || !hd_steer_of_cond(b->kind) || a->addr != b->addr)
        return false;
    if (a->kind == HD_LOG_BCAST && b->kind == HD_LOG_BCAST)
        return false;
    return hd_steer_notifies(a->kind) || hd_steer_notifies(b->kind);
}

static inline bool hd_steer_of_sem(const struct hd_steer_op *o)
{
    return o->kind == HD_LOG_POST || o->kind == HD_LOG_SEM ||
           (o->kind == HD_LOG_LOOK && o->other == HD_LOOK_COUNT);
}

static inline bool hd_steer_sems_depend(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    if (!hd_steer_of_sem(a) || !hd_steer_of_sem(b) || a->addr != b->addr)
        return false;
    if (a->kind == HD_LOG_LOOK && b->kind == HD_LOG_LOOK)
        return false;
    bool carries_data =
        HD_PSEUDO_KIND(a->addr) == HD_PSEUDO_PIPE || HD_PSEUDO_KIND(a->addr) == HD_PSEUDO_SOCKET;
    return carries_data || a->kind != HD_LOG_POST || b->kind != HD_LOG_POST;
}

/* LOOK, SET and JOIN: which state of which object; JOIN looks at the end of a thread. */
static inline bool hd_steer_looks_depend(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    uint64_t what_a = a->kind == HD_LOG_JOIN ? HD_LOOK_END : a->other;
    uint64_t what_b = b->kind == HD_LOG_JOIN ? HD_LOOK_END : b->other;
    bool of_a = a->kind == HD_LOG_LOOK || a->kind == HD_LOG_SET || a->kind == HD_LOG_JOIN;
    bool of_b = b->kind == HD_LOG_LOOK || b->kind == HD_LOG_SET || b->kind == HD_LOG_JOIN;
    return of_a && of_b && what_a == what_b && a->addr == b->addr &&
           (a->kind == HD_LOG_SET || b->kind == HD_LOG_SET);
}

static inline bool hd_steer_ends(const struct hd_steer_op *o)
{
    return o->kind == HD_LOG_SET && o->other == HD_LOOK_DESTROY;
}

/* Is the operation about the lock, condition, semaphore or barrier at this address? */
static inline bool hd_steer_uses(const struct hd_steer_op *o, uint64_t addr)
{
    bool own = hd_steer_of_cond(o->kind) || hd_steer_of_sem(o) || o->kind == HD_LOG_BARIN ||
               hd_steer_ends(o) || (o->kind == HD_LOG_LOOK && o->other == HD_LOOK_DESTROY);
    return hd_steer_lock(o) == addr || (own && o->addr == addr);
}

static inline bool hd_steer_overlap(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    uint64_t from = a->addr > b->addr ? a->addr : b->addr;
    return from - a->addr < a->size && from - b->addr < b->size;
}

/* The flag of a pthread_once or of a guard, used inside the call. */
static inline bool hd_steer_is_flag(const struct hd_steer_op *o)
{
    return hd_steer_is_atomic(o->kind) && !(o->flags & HD_STEER_SITE);
}

/* a and b are of different threads. */
static inline bool hd_steer_depend(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    if ((hd_steer_is_flag(a) && hd_steer_lock(b) == a->addr) ||
        (hd_steer_is_flag(b) && hd_steer_lock(a) == b->addr))
        return true;
    if (hd_steer_is_access(a->kind) || hd_steer_is_access(b->kind))
        return hd_steer_is_access(a->kind) && hd_steer_is_access(b->kind) &&
               (hd_steer_writes(a->kind) || hd_steer_writes(b->kind)) && hd_steer_overlap(a, b);
    if (a->kind == HD_LOG_BARIN && b->kind == HD_LOG_BARIN)
        return a->addr == b->addr;
    if ((hd_steer_ends(a) && hd_steer_uses(b, a->addr)) ||
        (hd_steer_ends(b) && hd_steer_uses(a, b->addr)))
        return true;
    return hd_steer_locks_depend(a, b) || hd_steer_conds_depend(a, b) ||
           hd_steer_sems_depend(a, b) || hd_steer_looks_depend(a, b);
}

#endif
