/* Decides the candidates of one property, on all cores, the cheapest steps first over all of them.
 *
 * The work is cut into units: groups of candidates of the same places, or smaller parts. A property
 * knows its candidates, and what it does with them in the phases up to HD_PHASE_SWEEP: after that
 * each candidate is found, proved impossible, or in the unit's list of what is undecided. The later
 * phases take up that list, and are the same for all properties.
 */
#ifndef HD_PREDICT_RUN_DRIVER_H
#define HD_PREDICT_RUN_DRIVER_H

#include "predict/run/worker.h"

/* Each goes over all units before the next begins. */
enum hd_phase {
    HD_PHASE_NEAR,      /* races: the two accesses of a group nearest to each other */
    HD_PHASE_PROBE,     /* some candidates, by greedy */
    HD_PHASE_SCHEDULES, /* races: schedules that a detector gives */
    HD_PHASE_SWEEP,     /* all candidates, by filters and greedy */
    HD_PHASE_NEARBY,    /* what is left, by closure near the candidate */
    HD_PHASE_CLOSE,     /* by closure */
    HD_PHASE_STATES,    /* races: by protocols with many states */
    HD_PHASE_SOLVE,     /* by the solver */
    HD_PHASE_RETRY,     /* the same for what used up its share of the time, while there is time */
    HD_PHASE_SHORTEN,   /* witnesses are made short, when there is one for each unit */
    HD_PHASES
};

/* What is known of one unit. */
struct hd_driver_unit {
    struct hd_vec found;     /* struct hd_predicted */
    struct hd_vec undecided; /* struct hd_undecided; those with HD_WHY_STEPS wait for a step */
    uint64_t proved[HD_STEPS], found_by[HD_STEPS];
    size_t kept; /* entries of schedules */
};

struct hd_driver {
    enum hd_property property;
    const struct hd_world *w;
    const struct hd_predict_options *options;
    struct hd_driver_unit *units; /* made by hd_driver_run */
    size_t n_units;
    uint32_t *order;     /* those of the phase */
    uint64_t candidates; /* of all units */
    /* The end of each group's units; NULL: each unit is a group. */
    const uint32_t *group_end;
    size_t n_groups;
    size_t n_found; /* units with one, in HD_PHASE_SHORTEN */
    bool linear;    /* the phases up to the sweep are done to their end at any budget */
    void *ctx;
    /* Before a phase up to the sweep, and before HD_PHASE_STATES: puts its units into `order`, and
     * returns how many they are. */
    size_t (*prepare)(struct hd_driver *d, enum hd_phase phase, double deadline);
    /* One unit of such a phase, unless it is settled. */
    void (*visit)(struct hd_driver *d, enum hd_phase phase, uint32_t unit, struct hd_worker *k);
    /* In the end, for a unit with one found when that is enough. May be NULL. */
    void (*settle)(struct hd_driver *d, uint32_t unit, struct hd_predicted *found);
};

/* For prepare: all units; those with something open, the cheapest first. */
size_t hd_driver_all(struct hd_driver *d);
size_t hd_driver_left(struct hd_driver *d);

/* Whether one is found, and that is enough. */
bool hd_driver_settled(const struct hd_driver *d, const struct hd_driver_unit *u);

/* Whether the sweep asks the last filter. In a trace with many sections a graph costs more than the
 * attempts to find a witness or a proof: there it is asked about what closure leaves open. */
bool hd_driver_filters(const struct hd_driver *d);

/* The candidate is found: k has its witness. */
void hd_driver_found(const struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k);
/* It is undecided, and stands for `goals` candidates. */
void hd_driver_open(struct hd_driver_unit *u, const hd_eid *events, size_t n, enum hd_reason why,
                    uint64_t goals);
/* What the last step of k said of a candidate; why: if it is still open. */
void hd_driver_keep(const struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k,
                    const hd_eid *events, size_t n, enum hd_verdict verdict, enum hd_reason why);

/* Runs all phases and fills in the result, which is sorted. started: hd_progress_now(). */
void hd_driver_run(struct hd_driver *d, double started, struct hd_prediction *result);

#endif
