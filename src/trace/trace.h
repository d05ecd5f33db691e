/* A trace in memory: one observed total order of events (docs/MODEL.md section 1).
 *
 * Events are columns (struct of arrays), because analyses walk one or two of them at a time; the
 * fields are public for that reason and read-only to everyone but builder.c. 24 bytes of columns
 * and 12 of indices make 36 bytes an event (limit: 40, see bench/).
 *
 * Numbers: events are 0-based inside the tool (hd_eid) and 1-based wherever a user sees them.
 * Objects have a dense id within their kind: location 3 and lock 3 are different things.
 *
 * Values matter only by equality. A write whose value was left out has a value unique to it; a read
 * whose value was left out has the value that memory held. Both are settled by hd_builder_finish,
 * so that hd_trace_read_value and hd_trace_write_value always answer.
 *
 * Dependences are stored as distances in the program order of the thread: distance d at event e is
 * the event d places before e in its thread (0: e itself, only in `val` of an rmw). Equal sets are
 * stored once.
 *
 * A finished trace is immutable and may be shared by threads. It is well-formed (every id exists,
 * every dependence is an earlier read of the thread) but not necessarily consistent: model/ judges
 * that.
 */
#ifndef HD_TRACE_TRACE_H
#define HD_TRACE_TRACE_H

#include "base/err.h"
#include "base/names.h"
#include "trace/ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t hd_eid; /* event, 0-based position in the trace */
typedef uint32_t hd_tid; /* thread, dense */
#define HD_EID_NONE    UINT32_MAX
#define HD_MAX_EVENTS  (UINT32_MAX - 1)
#define HD_MAX_THREADS 0xfffffu /* in the life of a run */

enum hd_control { HD_CONTROL_ALL, HD_CONTROL_BRANCHES };

struct hd_value {
    uint64_t bits;
    bool unique; /* no number was given: bits only distinguishes such values */
};

static inline bool hd_value_eq(struct hd_value a, struct hd_value b)
{
    return a.bits == b.bits && a.unique == b.unique;
}

struct hd_rmw {
    struct hd_value old_value, new_value;
};

enum {
    HD_F_OMITTED = 1, /* the value was left out in the input: writers leave it out again */
    HD_F_UNIQUE = 2,  /* the value in val[] is a struct hd_value with unique set */
    HD_F_TRY = 4,     /* acq, racq: of a call that gives up instead of waiting for ever */
    HD_F_ORDER = 56,  /* atomics, fence, acq, rel: enum hd_mem_order, see hd_trace_order */
    HD_F_ORDER_SHIFT = 3,
};

/* Occurrences grouped by object: those of object i are list[start[i]] .. list[start[i + 1] - 1],
 * in trace order. */
struct hd_index {
    uint32_t *start;
    hd_eid *list;
    size_t count; /* objects */
};

enum hd_init { HD_INIT_UNKNOWN, HD_INIT_GIVEN, HD_INIT_FROM_READ };

struct hd_loc_init {
    struct hd_value value; /* meaningful unless UNKNOWN */
    uint8_t how;           /* enum hd_init */
};

/* Events first, first + 1, ... stand in lines line, line + 1, ... of the text they were read from,
 * up to the next run. */
struct hd_line_run {
    hd_eid first;
    uint64_t line;
};

/* Bytes under a key that say nothing about events: how the trace came about. */
struct hd_meta {
    char *key;
    uint8_t *data;
    size_t len;
};

struct hd_trace {
    size_t n_events;
    uint8_t *op;    /* enum hd_op */
    uint8_t *flags; /* HD_F_* */
    hd_tid *thread;
    uint32_t *obj;   /* object id within the kind of the op; unused for NONE */
    uint64_t *val;   /* access: the value (rmw: index into rmw[]); wait, wake, tmo: the lock id */
    uint32_t *place; /* source place */
    uint32_t *dep;   /* offset of its dependence record in dep_pool; 0: the defaults */

    uint32_t *pos; /* 0-based position of the event within its thread */
    /* by_obj[HD_OBJ_THREAD] lists the thread's own events. A wait, wake or tmo stands under its
     * condition and under its lock. */
    struct hd_index by_obj[HD_OBJ_THREAD + 1];
    hd_eid *fork_of; /* by thread: the event that forks it, or HD_EID_NONE */

    struct hd_names
        objs[HD_OBJ_KINDS]; /* names of locations, locks, conditions, semaphores, barriers */
    struct hd_names threads, places;
    struct hd_loc_init *loc_init; /* by location */
    uint64_t *sem_init;           /* by semaphore */
    uint64_t *barrier_size;       /* by barrier; never 0 when the barrier occurs in an event */

    struct hd_rmw *rmw;
    size_t n_rmw;
    uint32_t *dep_pool;
    size_t n_dep_pool;
    enum hd_control control;
    struct hd_line_run *line_runs; /* ascending; none when the trace was not read from text */
    size_t n_line_runs;
    struct hd_meta *meta; /* in .hdt files only */
    size_t n_meta;
};

void hd_trace_free(struct hd_trace *t); /* NULL is fine */
uint64_t hd_trace_line(const struct hd_trace *t,
                       hd_eid e);                /* 1-based line in its text; 0: not known */
size_t hd_trace_bytes(const struct hd_trace *t); /* all memory held by the trace */

/* Appends to the bytes under this key. The one change that a finished trace allows, before it is
 * shared. */
void hd_trace_meta_add(struct hd_trace *t, const char *key, const void *data, size_t len);
/* The bytes under a key, or NULL with *len 0. */
const uint8_t *hd_trace_meta(const struct hd_trace *t, const char *key, size_t *len);

static inline size_t hd_trace_n_threads(const struct hd_trace *t)
{
    return t->threads.count;
}

static inline size_t hd_trace_n_objs(const struct hd_trace *t, enum hd_obj_kind kind)
{
    return t->objs[kind].count;
}

/* The events of a thread in program order; *n is their number. */
static inline const hd_eid *hd_trace_thread_events(const struct hd_trace *t, hd_tid u, size_t *n)
{
    const struct hd_index *index = &t->by_obj[HD_OBJ_THREAD];
    HD_DCHECK(u < index->count);
    *n = index->start[u + 1] - index->start[u];
    return index->list + index->start[u];
}

/* The events on an object of any kind but THREAD, in trace order. */
static inline const hd_eid *hd_trace_obj_events(const struct hd_trace *t, enum hd_obj_kind kind,
                                                uint32_t obj, size_t *n)
{
    const struct hd_index *index = &t->by_obj[kind];
    HD_DCHECK(obj < index->count);
    *n = index->start[obj + 1] - index->start[obj];
    return index->list + index->start[obj];
}

/* Requires hd_op_reads(op). */
static inline struct hd_value hd_trace_read_value(const struct hd_trace *t, hd_eid e)
{
    HD_DCHECK(e < t->n_events && hd_op_reads((enum hd_op)t->op[e]));
    if (t->op[e] == HD_OP_RMW)
        return t->rmw[t->val[e]].old_value;
    return (struct hd_value){t->val[e], (t->flags[e] & HD_F_UNIQUE) != 0};
}

/* Requires hd_op_writes(op). */
static inline struct hd_value hd_trace_write_value(const struct hd_trace *t, hd_eid e)
{
    HD_DCHECK(e < t->n_events && hd_op_writes((enum hd_op)t->op[e]));
    if (t->op[e] == HD_OP_RMW)
        return t->rmw[t->val[e]].new_value;
    return (struct hd_value){t->val[e], (t->flags[e] & HD_F_UNIQUE) != 0};
}

/* The lock of an event: its object for lock operations, its second object for wait, wake and tmo.
 */
static inline uint32_t hd_trace_lock(const struct hd_trace *t, hd_eid e)
{
    return hd_op_info[t->op[e]].has_lock ? (uint32_t)t->val[e] : t->obj[e];
}

/* The memory order of an atomic access, a fence, or an event of an exclusion; SC for all others. */
static inline enum hd_mem_order hd_trace_order(const struct hd_trace *t, hd_eid e)
{
    return (enum hd_mem_order)((t->flags[e] & HD_F_ORDER) >> HD_F_ORDER_SHIFT);
}

/* Does e use an exclusion, a lock that orders no memory (docs/MODEL.md D29)? */
static inline bool hd_trace_excludes_only(const struct hd_trace *t, hd_eid e)
{
    return (t->op[e] == HD_OP_ACQ || t->op[e] == HD_OP_REL) && (t->flags[e] & HD_F_ORDER);
}

/* The event that comes d events before e in its thread. */
static inline hd_eid hd_trace_back(const struct hd_trace *t, hd_eid e, uint32_t d)
{
    const struct hd_index *index = &t->by_obj[HD_OBJ_THREAD];
    HD_DCHECK(e < t->n_events && d <= t->pos[e]);
    return index->list[index->start[t->thread[e]] + t->pos[e] - d];
}

/* The sets of docs/MODEL.md: `deps` of a branch, `val` of a write, `addr` of an access. */
enum hd_dep_role { HD_DEP_VALUE, HD_DEP_ADDR, HD_DEP_CONTROL = HD_DEP_VALUE };

struct hd_deps {
    bool all;             /* every earlier read of the thread (and an rmw's own read for VALUE) */
    uint32_t n;           /* otherwise: this many distances, ascending, no duplicates */
    const uint32_t *dist; /* use hd_trace_back(t, e, dist[i]) */
};

/* What the trace gives (or the default). CONTROL is for branches, VALUE for writing accesses, ADDR
 * for all accesses. `control all` is not applied here: that is a rule about events, not about these
 * sets. */
struct hd_deps hd_trace_deps(const struct hd_trace *t, hd_eid e, enum hd_dep_role role);

/* Is it an rmw whose value depends on what it reads itself? An exchange is none. */
bool hd_trace_updates(const struct hd_trace *t, hd_eid e);

/* One more name for a user: "x", "T2", "main.c:12". */
static inline const char *hd_trace_thread_name(const struct hd_trace *t, hd_tid u)
{
    return hd_names_text(&t->threads, u);
}

static inline const char *hd_trace_obj_name(const struct hd_trace *t, enum hd_obj_kind kind,
                                            uint32_t obj)
{
    return hd_names_text(&t->objs[kind], obj);
}

static inline const char *hd_trace_place_name(const struct hd_trace *t, hd_eid e)
{
    return hd_names_text(&t->places, t->place[e]);
}

#endif
