/* From what the runtime reported about an execution to steps with names that hold across
 * executions. */
#ifndef HD_EXPLORE_STEPS_H
#define HD_EXPLORE_STEPS_H

#include "explore/exec.h"

/* Fills steps, ops and states of run. The area is not trusted: the program may have written over
 * it; HD_ERR_INPUT then. */
enum hd_status hd_steps_read(const struct hd_steer_header *area, size_t bytes,
                             struct hd_exec_names *names, struct hd_exec_run *run,
                             struct hd_err *err);

#endif
