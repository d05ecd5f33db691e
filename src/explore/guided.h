/* Strategy `guided`: from the lockset violations of a recorded run to executions in which they are
 * races.
 *
 * Each warning (lead.h) is tried with each of its candidates: the run up to there, its thread
 * parked, then a search of the program itself (reach.h); and once, from the first candidate, with
 * no thread parked. All warnings are searched with no preemption first, then with one, and so on up
 * to the bound. A warning is settled when a race on its memory was found, or when all that the
 * bound allows was searched. Other races, deadlocks and crashes that executions come to are handed
 * on as well.
 *
 * What is found is executed again and recorded; what the recording means is for others to say. So
 * is an execution that shows two accesses without a common lock that no execution has shown before
 * (guard.h), since prediction may see more in it.
 */
#ifndef HD_EXPLORE_GUIDED_H
#define HD_EXPLORE_GUIDED_H

#include "base/err.h"
#include "base/names.h"
#include "explore/found.h"
#include "explore/schedule_share.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_trace;

enum hd_aim { HD_AIM_PARKED, HD_AIM_HINT, HD_AIM_NONE }; /* for comparison: how much is used */

enum hd_guided_end {
    HD_GUIDED_FOUND,
    HD_GUIDED_NOT_REACHED, /* within the bound */
    HD_GUIDED_OPEN,        /* the search ended before, or could not use all executions */
    HD_GUIDED_KNOWN,       /* before the search, or by an earlier part of it */
    HD_GUIDED_ELSEWHERE,   /* another share's */
    HD_GUIDED_ENDS
};

struct hd_guided_options {
    const struct hd_trace *trace; /* of the recorded run */
    char **argv;
    const char *dir;   /* absolute, for recordings: trace-N.hdt */
    const char *input; /* file for the standard input, or NULL */
    uint64_t first;    /* N of the first recording */
    unsigned jobs;
    uint64_t runs;           /* executions; 0: no limit */
    double seconds, timeout; /* 0: no limit; of one execution */
    uint32_t preemptions;
    enum hd_aim aim;
    /* Warnings are divided by a hash of their places, so that shares whose recordings differ still
     * search each warning once. */
    struct hd_schedule_share share;
    const char *state; /* file in which the search is kept when it ends; or NULL */
    bool resume;       /* it goes on from there, if it is the same search of the same program */
    const struct hd_names *settled; /* hd_guided_key of warnings that are not to be searched */
    /* Whether a race of these two places is known. */
    bool (*known)(void *ctx, const char *place1, const char *place2);
    struct hd_explored_taker taker;
    /* Each warning when it is settled, or in the end. */
    void (*settle)(void *ctx, const char *place1, const char *place2, enum hd_guided_end how);
    void (*progress)(void *ctx, uint64_t executions, uint64_t states, uint64_t open);
    void *ctx;
};

struct hd_guided_result {
    uint64_t warnings, ends[HD_GUIDED_ENDS];
    uint64_t executions, states, open;
    uint64_t recordings;
    const char *why; /* warnings are open though nothing was used up: what was lost; or NULL */
};

/* HD_ERR_INPUT: the program cannot be run, or the trace was not recorded; HD_ERR_STOPPED:
 * interrupted. The result is filled in any case. */
enum hd_status hd_guided(const struct hd_guided_options *o, struct hd_guided_result *result,
                         struct hd_err *err);

/* What distinguishes a warning from others, for the list of settled ones. */
void hd_guided_key(const char *place1, const char *place2, uint32_t preemptions, char *text,
                   size_t size);

#endif
