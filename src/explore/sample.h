/* Strategies `pct` and `random`: runs with many seeds, each in a process of its own.
 *
 * Runs have numbers, from 1. Run 1 lets each thread run until it blocks (policy fifo); it gives the
 * length over which the others spread their choices. Every run is a function of its number and the
 * options. Runs are handed on in the order of their numbers, whatever the number of jobs, and only
 * those whose behaviour (behaviour.h) is new, or that did not end well; the recordings of the
 * others are removed at once.
 */
#ifndef HD_EXPLORE_SAMPLE_H
#define HD_EXPLORE_SAMPLE_H

#include "record/record_child.h"
#include "explore/behaviour.h"

/* A run that is handed on. */
struct hd_sampled {
    uint64_t number;
    const char *path; /* its recording; the caller may remove it */
    const struct hd_record_child *run;
    bool fresh; /* its behaviour is new */
};

struct hd_sample_options {
    char **argv;
    const char *dir;            /* absolute, for recordings */
    const char *input;          /* file for the standard input, or NULL */
    enum hd_policy_kind policy; /* HD_POLICY_PCT or HD_POLICY_RANDOM */
    uint64_t seed;
    uint64_t quantum;      /* random; 0: varies with the run */
    uint32_t depth, steps; /* pct; 0: depth varies, steps is the length of run 1 */
    uint64_t last;         /* number of the last run; 0: no end */
    double seconds;        /* for all; 0: no limit */
    double timeout;        /* processor time of one run */
    unsigned jobs;
    /* HD_OK to go on. */
    enum hd_status (*take)(void *ctx, const struct hd_sampled *s, struct hd_err *err);
    void (*progress)(void *ctx, uint64_t runs, uint64_t behaviours); /* after each run */
    void *ctx;
};

/* Where a search stands; kept in a file, it can go on later. A zeroed one, with its set made, is
 * the start. */
struct hd_sample_state {
    uint64_t done;   /* runs 1 to done were handed on or dropped */
    uint64_t length; /* events of run 1 */
    struct hd_behaviours seen;
};

/* Goes on from *state, which is up to date whatever the result. HD_ERR_INPUT: the program cannot be
 * run; HD_ERR_STOPPED: interrupted. */
enum hd_status hd_sample(const struct hd_sample_options *o, struct hd_sample_state *state,
                         struct hd_err *err);

#endif
