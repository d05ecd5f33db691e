/* Stacks that a second run of the program found out (replay/stacks.h), put into findings: of the
 * accesses, of where their locks were taken, of the creation of threads, of what made the locks, of
 * the allocation of the heap block.
 */
#ifndef HD_REPORT_MAKE_STACKED_H
#define HD_REPORT_MAKE_STACKED_H

#include "base/vec.h"
#include "replay/stacks.h"
#include "report/data/report.h"

/* What to ask for. A zeroed struct is empty. */
struct hd_stacked {
    struct hd_u32vec events; /* hd_eid */
    struct hd_vec blocks;    /* uint64_t */
};

void hd_stacked_init(struct hd_stacked *s);
void hd_stacked_fini(struct hd_stacked *s);
/* All that a finding made from this trace would like to know. */
void hd_stacked_want(struct hd_stacked *s, const struct hd_finding *f);
/* Sorts what is wanted and lends it to `stacks`, which must not outlive s. False: nothing is. */
bool hd_stacked_ask(struct hd_stacked *s, struct hd_stacks *stacks);

/* Fills the finding in, and stores in `stacks` why not when an access has its innermost frame only.
 * Stacks of accesses that are there already stay. */
void hd_stacked_apply(struct hd_report *r, struct hd_finding *f, const struct hd_stacks *stacks);

/* The innermost frame is known better from its site: with its column. Only the name of a C++
 * function is longer in the stack: with its class. */
void hd_stacked_site(const struct hd_spot *at, struct hd_spot *frame);

/* A copy in the report. */
void hd_stacked_copy(struct hd_report *r, const struct hd_replay_stack *from, struct hd_stack *to);

#endif
