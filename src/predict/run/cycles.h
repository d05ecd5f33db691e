/* Candidates for deadlocks: lock-order cycles, by class. Inside predict/ only.
 *
 * A request is an event that takes a lock while its thread holds another; requests of one thread,
 * place, lock, mode and set of held locks form a class. A cycle of classes is one of different
 * threads in which each wants a lock that the next one holds. Cycles whose places are the same form
 * a group. The number of cycles can be exponential in the number of classes; short ones are listed
 * first, and beyond a limit the list is not complete.
 */
#ifndef HD_PREDICT_RUN_CYCLES_H
#define HD_PREDICT_RUN_CYCLES_H

#include "predict/index/world.h"
#include "predict/run/predict.h"

struct hd_request_class {
    uint32_t start, end; /* in events, in program order */
    uint32_t place;
    hd_tid thread;
};

struct hd_class_cycle {
    uint32_t start, n; /* in members */
};

struct hd_cycles {
    const struct hd_world *w;
    hd_eid *events;
    size_t n_events;
    struct hd_vec classes;    /* struct hd_request_class, by place */
    struct hd_u32vec members; /* classes */
    struct hd_vec cycles;     /* struct hd_class_cycle, by group; first its smallest class */
    struct hd_u32vec groups;  /* the first cycle of each group, and the end */
    bool complete;
};

/* guarded: also cycles that a common lock makes impossible. Uses the trace and the sections of the
 * world, which must outlive it. */
void hd_cycles_init(struct hd_cycles *s, const struct hd_world *w, bool guarded);
void hd_cycles_done(struct hd_cycles *s);

/* Decides all that are listed. started: hd_progress_now(). */
void hd_cycles_decide(const struct hd_cycles *s, const struct hd_predict_options *options,
                      double started, struct hd_prediction *result);

static inline const struct hd_request_class *hd_request_class_at(const struct hd_cycles *s,
                                                                 uint32_t id)
{
    return hd_vec_at(&s->classes, id);
}

#endif
