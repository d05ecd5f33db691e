/* Strategy `dpor` (explore.h), with what it finds handed on as recordings. */
#ifndef HD_EXPLORE_SWEEP_H
#define HD_EXPLORE_SWEEP_H

#include "explore/found.h"
#include "explore/schedule_share.h"

#include <stdint.h>

struct hd_sweep_options {
    char **argv;
    const char *dir;   /* absolute, for recordings: trace-N.hdt */
    const char *input; /* file for the standard input, or NULL */
    uint64_t first;    /* N of the first recording */
    unsigned jobs;
    uint64_t runs;           /* executions; 0: no limit */
    double seconds, timeout; /* 0: no limit; of one execution */
    uint32_t preemptions;    /* UINT32_MAX: any number */
    struct hd_schedule_share share;
    const char *state; /* file in which the search is kept */
    bool resume;       /* it goes on from there */
    bool whole;        /* end as soon as it is known that not all will be explored */
    struct hd_explored_taker taker;
    void (*progress)(void *ctx, uint64_t executions, uint64_t states, uint64_t open);
    void *ctx;
};

/* Counts are those of all parts of the search, but for the recordings. */
struct hd_sweep_result {
    uint64_t executions, schedules, states, open, recordings;
    bool complete; /* every schedule (of our share) was explored */
    char why[200]; /* when not */
};

/* HD_ERR_INPUT: the program cannot be run; HD_ERR_STOPPED: interrupted. The result is filled in any
 * case. */
enum hd_status hd_sweep(const struct hd_sweep_options *o, struct hd_sweep_result *result,
                        struct hd_err *err);

#endif
