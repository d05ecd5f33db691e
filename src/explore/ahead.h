/* Executions that run beside each other: those that a search will probably want soon.
 *
 * A search asks for one execution after the other and stays what it is with one job: the same plan
 * gives the same execution whenever it runs. It starts some before they are asked for; what they
 * left is kept until then, and read only then, so that names do not depend on what ran ahead. One
 * that is never asked for is wasted; the oldest are dropped when room is needed.
 */
#ifndef HD_EXPLORE_AHEAD_H
#define HD_EXPLORE_AHEAD_H

#include "explore/exec.h"

struct hd_ahead;

/* jobs: executions at once, at least 1. HD_ERR_INPUT as hd_exec_open. hd_ahead_free in any case. */
enum hd_status hd_ahead_new(const struct hd_exec_opts *opts, struct hd_exec_names *names,
                            uint32_t jobs, struct hd_ahead **ahead, struct hd_err *err);
void hd_ahead_free(struct hd_ahead *c); /* NULL is fine */

/* Whether one more could be started now. */
bool hd_ahead_idle(struct hd_ahead *c);
/* Starts the plan beside others, unless it is there already. Needs hd_ahead_idle. */
void hd_ahead_start(struct hd_ahead *c, const struct hd_exec_plan *plan);
/* The execution of a plan: waits for it or runs it. As hd_exec_run. */
enum hd_status hd_ahead_run(struct hd_ahead *c, const struct hd_exec_plan *plan,
                            struct hd_exec_run *run, struct hd_err *err);
/* One that is not running, for recordings. */
struct hd_exec *hd_ahead_exec(struct hd_ahead *c);

#endif
