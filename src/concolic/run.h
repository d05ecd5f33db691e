/* One run of the program with one input: recorded under policy fifo, with its path condition.
 *
 * The run happens in a process of its own, so that several can go on at once and that neither the
 * program's output nor its end touches us. Files stand in one folder: testNNNNNN.hdr (the
 * recording), .given (its input, then the path condition), .out (what the program wrote).
 */
#ifndef HD_CONCOLIC_RUN_H
#define HD_CONCOLIC_RUN_H

#include "concolic/input.h"
#include "record/record_child.h"

struct hd_input_run {
    uint32_t number;
    const struct hd_input *in; /* the caller keeps it */
    char trace[PATH_MAX], arena[PATH_MAX], out[PATH_MAX];
    struct hd_record_child child; /* the process, and how the run ended */
};

struct hd_run_limits {
    double seconds;  /* of the program's processor time; ten times that on the clock */
    uint64_t memory; /* bytes of address space beyond ours; 0: no limit */
};

/* Starts it. dir is absolute. */
enum hd_status hd_run_start(struct hd_input_run *r, uint32_t number, const struct hd_input *in,
                            const char *dir, const struct hd_run_limits *limits,
                            struct hd_err *err);
/* Waits for its end. HD_ERR_INPUT: the program cannot be run or is not instrumented;
 * HD_ERR_STOPPED: the user interrupted, the run is killed. */
enum hd_status hd_run_wait(struct hd_input_run *r, struct hd_err *err);
void hd_run_kill(struct hd_input_run *r);   /* if it is still going; its files go as well */
void hd_run_remove(struct hd_input_run *r); /* its files */

#endif
