/* One unit as a process: a heddle of its own, in a folder below work/, with exactly the environment
 * of the plan, and in a process group of its own, so that it can be ended with all it started.
 */
#ifndef HD_CAMPAIGN_UNIT_PROCESS_H
#define HD_CAMPAIGN_UNIT_PROCESS_H

#include "campaign/unitplan.h"

#include <limits.h>
#include <sys/types.h>

#define HD_UNIT_OUT "/out"
#define HD_UNIT_LOG "/log"

struct hd_unit_process {
    const struct hd_unit *unit;
    pid_t pid;       /* 0: none */
    double started;  /* hd_progress_now() */
    unsigned tries;  /* before this one */
    bool late;       /* it was ended because its time was over */
    char work[2048]; /* its folder: HD_UNIT_OUT is what it gives, HD_UNIT_LOG what it writes */
};

/* What is the matter with a unit that gave no report. */
struct hd_unit_end {
    bool done;        /* it gave one */
    bool full;        /* the disk is full, or the quota used up */
    size_t findings;  /* of a report */
    char reason[512]; /* if not done; the same on every machine */
};

/* Is the program there, and the build that was planned? HD_ERR_INPUT: no, with the reason. */
enum hd_status hd_unit_process_check(const struct hd_unit *u, struct hd_err *err);

/* Starts it in the folder p->work, which must be there and empty. `tool` is the heddle to use.
 * HD_ERR_INPUT: its folder or input is not there; HD_ERR_IO: no process can be had. */
enum hd_status hd_unit_process_start(struct hd_unit_process *p, const struct hd_unitplan *plan,
                                     const char *tool, struct hd_err *err);
/* Whether it has ended; if so, *status is as of waitpid. */
bool hd_unit_process_ended(struct hd_unit_process *p, int *status);
/* Ends it with all its processes, and waits. */
void hd_unit_process_kill(struct hd_unit_process *p);

/* What it gave. Leaves only what is kept of that: the report, and what its findings need. */
void hd_unit_process_judge(const struct hd_unit_process *p, int status, struct hd_unit_end *end);

#endif
