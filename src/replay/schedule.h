/* From a witness over the events of a trace to a schedule over the events of the runtime.
 *
 * The runtime cannot stop inside one of its events, nor between events that it makes in one call
 * (origin.h: joined): these are units. A witness may run only some cells of an access, or let
 * others run between them. Then the whole unit is run at the place of its first or of its last
 * event, or not at all if the thread ends there, whichever the model still accepts.
 *
 * A race that needs a thread to stop inside a unit gets a schedule *in turn*: the whole unit of one
 * access, later that of the other, which is the last. No state of it has both threads before their
 * accesses, but a race of the C language asks for less: that neither happens before the other. That
 * is for the caller to judge from what ran. When the model accepts no form at all, the witness
 * cannot be replayed.
 *
 * An unordered race (docs/MODEL.md section 8) always has a schedule in turn: a, and what the
 * witness runs after it, and b last.
 *
 * Branches have no effect of their own and move to the thread's next unit, which is always allowed.
 * Before a join, the joined thread runs to its end.
 *
 * Of a race, the units of the two accesses come last, first that of `a`, each with the steps before
 * it that left nothing in the trace: those may belong to the same call. The units of other
 * properties are part of the rest.
 */
#ifndef HD_REPLAY_SCHEDULE_H
#define HD_REPLAY_SCHEDULE_H

#include "base/err.h"
#include "build/origin.h"
#include "abi/rt_schedule.h"
#include "model/witness.h"

struct hd_schedule {
    struct hd_vec entries;   /* struct hd_sched_entry */
    struct hd_u32vec events; /* by entry: an event of the trace that it makes, or HD_EID_NONE */
    struct hd_vec threads;   /* struct hd_sched_thread */
    struct hd_u32vec tids;   /* by thread of the schedule: of the trace, or UINT32_MAX */
    uint32_t n_first, n_second;
    struct {                /* race: where the accesses are */
        const char *thread; /* its name, of the trace */
        uint32_t step;      /* event of the runtime in it, from 1 */
    } at[2];
    bool outside;           /* race: it cannot be made since an access is not the program's own */
    bool in_turn;           /* race: see above; n_first and n_second are 0 */
    unsigned turn;          /* then: which access comes first, 0 for a, 1 for b */
    unsigned stacks;        /* not 0: the run is only for stacks; or HD_SCHED_OWNERS */
    const uint64_t *blocks; /* then: allocations whose stacks are wanted, ascending; not owned */
    size_t n_blocks;
    bool holds; /* the second unit waits while the others run on: abi/rt_schedule.h */
    bool stays; /* a failure: the last thread goes on, so that it comes to it */
};

/* w must be a witness for t. HD_ERR_LIMIT: it cannot be replayed, and why. hd_schedule_fini in any
 * case. */
enum hd_status hd_schedule_make(const struct hd_trace *t, const struct hd_origins *o,
                                const struct hd_witness *w, struct hd_schedule *s,
                                struct hd_err *err);
void hd_schedule_fini(struct hd_schedule *s);

/* Writes the file for the runtime. swap: the second unit of a race goes first. */
enum hd_status hd_schedule_write(const struct hd_schedule *s, const struct hd_origins *o, bool swap,
                                 const char *path, struct hd_err *err);

#endif
