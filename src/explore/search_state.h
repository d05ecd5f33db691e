/* Where a search stands, kept in the file explore.json of its folder, so that it can go on later.
 *
 * Written when a search ends in any orderly way: done, out of budget, interrupted. What the
 * findings are is not here but in the report beside it.
 */
#ifndef HD_EXPLORE_SEARCH_STATE_H
#define HD_EXPLORE_SEARCH_STATE_H

#include "base/err.h"
#include "base/names.h"
#include "explore/sample.h"

#define HD_SEARCH_FILE "explore.json"
#define HD_DPOR_FILE   "explore.dpor"   /* beside it: the path of strategy dpor (freeze.h) */
#define HD_GUIDED_FILE "explore.guided" /* what strategy guided has still to run */

/* What guided goes on with when it has found nothing. */
enum hd_search_part { HD_PART_GUIDED, HD_PART_DPOR, HD_PART_PCT };

struct hd_search_state {
    struct hd_names strategy; /* one name */
    struct hd_names program;  /* words; equal ones are kept apart by `words` */
    struct hd_u32vec words;   /* by position: into `program` */
    uint64_t seed;
    uint64_t executions;                   /* so far, all sessions together */
    uint64_t milliseconds, peak_kilobytes; /* the same: time; most memory of ours */
    uint64_t dpor_executions, sampled;     /* of these, those of dpor; runs of pct and random */
    uint64_t part;                         /* guided: enum hd_search_part */
    bool complete;                         /* nothing is left to be done */
    struct hd_sample_state sample;
    struct hd_names settled; /* guided: warnings that are done with, as texts */
};

void hd_search_state_init(struct hd_search_state *s);
void hd_search_state_fini(struct hd_search_state *s);
void hd_search_state_program(struct hd_search_state *s, const char *strategy, char **argv);

enum hd_status hd_search_state_save(const struct hd_search_state *s, const char *path,
                                    struct hd_err *err);
/* s is initialised by this. HD_ERR_IO: no such file; HD_ERR_INPUT: it is not what was saved.
 * hd_search_state_fini in any case. */
enum hd_status hd_search_state_load(struct hd_search_state *s, const char *path,
                                    struct hd_err *err);

#endif
