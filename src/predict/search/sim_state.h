/* The state of a simulator: what sim_state.c derives from the observed order on first touch, and
 * what sim.c changes. Cells are stamped with the run that wrote them, so a new run starts at no
 * cost. */
#ifndef HD_PREDICT_SEARCH_SIM_STATE_H
#define HD_PREDICT_SEARCH_SIM_STATE_H

#include "base/bitset.h"
#include "predict/search/sim.h"

struct hd_sim_cell {
    uint32_t run;
    hd_eid write; /* the last write, or HD_EID_NONE for the initial value */
    bool known;   /* the value is that of the trace */
};

struct hd_sim_lock {
    uint32_t run;
    uint32_t owner;  /* the open exclusive section, or HD_SECTION_NONE */
    uint32_t shared; /* number of open shared sections */
};

struct hd_sim_count {
    uint32_t run;
    uint64_t count; /* of a semaphore; arrivals at a barrier */
};

enum hd_sim_wait { HD_SIM_NOT_WAITING, HD_SIM_WAITING, HD_SIM_NOTIFIED };

struct hd_sim_thread {
    uint32_t next;        /* events run */
    uint32_t base;        /* of these, before the base */
    uint32_t first_stale; /* position of the first stale read, or UINT32_MAX */
    uint32_t next_target; /* position of the next event that an edge of the plan points at */
    uint8_t wait;         /* enum hd_sim_wait */
    uint32_t cond;        /* of the wait */
    hd_eid notifier;
};

/* An arrival at a barrier in this run. */
struct hd_sim_arrival {
    hd_eid event;
    uint64_t rank; /* arrivals before it */
};

struct hd_sim {
    const struct hd_world *w;
    const struct hd_matching *matching;
    const struct hd_plan *plan;
    uint32_t run;
    hd_eid base;
    struct hd_sim_cell *cells;
    struct hd_sim_lock *locks;
    struct hd_sim_count *sems, *barriers;
    struct hd_sim_thread *threads;
    struct hd_bitset stale;       /* events: the reads that were stale in this run */
    struct hd_u32vec stale_reads; /* the same as a list */
    struct hd_u32vec order;
    struct hd_vec wakes;    /* struct hd_wake */
    struct hd_vec arrivals; /* struct hd_sim_arrival */
    uint64_t steps, limit;
};

/* Starts a run after the first `base` events of the trace. */
void hd_sim_reset(struct hd_sim *s, const struct hd_plan *plan, hd_eid base);

struct hd_sim_cell *hd_sim_cell(struct hd_sim *s, uint32_t loc);
struct hd_sim_lock *hd_sim_lock(struct hd_sim *s, uint32_t lock);
struct hd_sim_count *hd_sim_sem(struct hd_sim *s, uint32_t sem);
struct hd_sim_count *hd_sim_barrier(struct hd_sim *s, uint32_t barrier);
/* How many had arrived before the arrival that this departure belongs to. */
uint64_t hd_sim_rank(const struct hd_sim *s, hd_eid departure);

/* The value a cell holds; meaningful when known. */
static inline struct hd_value hd_sim_value(const struct hd_sim *s, uint32_t loc,
                                           const struct hd_sim_cell *cell)
{
    const struct hd_trace *t = s->w->t;
    return cell->write == HD_EID_NONE ? t->loc_init[loc].value
                                      : hd_trace_write_value(t, cell->write);
}

#endif
