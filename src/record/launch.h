/* Runs a program to its end, with its output kept and a limit on its time.
 *
 * The program is in a process group of its own and dies with us. When the time is up, or the user
 * interrupts, the whole group is killed. */
#ifndef HD_RECORD_LAUNCH_H
#define HD_RECORD_LAUNCH_H

#include "base/err.h"
#include "base/bytes.h"

struct hd_child {
    const char *program; /* its file */
    char **argv, **env;
    const char *cwd;      /* NULL: ours */
    const char *log;      /* value of HD_LOG_ENV */
    const char *sched;    /* value of HD_SCHED_ENV, or NULL */
    const char *arrivals; /* value of HD_ARRIVALS_ENV, or NULL */
    const char *fds;      /* kinds as in kept_inputs.h, or NULL */
    bool preload;         /* LD_PRELOAD names the runtime; a debugger has to say so itself */
    int input;            /* standard input; -1: the null device */
    double timeout;       /* seconds; 0: none */
    bool show;
    bool terminal; /* a debugger: gets our descriptors, terminal and no limit */
    size_t kept;   /* bytes of each output */
};

struct hd_child_result {
    int wait_status;
    bool timed_out;
    struct hd_bytes out, err;
    uint64_t out_total, err_total;
};

/* HD_ERR_INPUT: it cannot be started; HD_ERR_STOPPED: interrupted, and the program is dead. */
enum hd_status hd_child_run(const struct hd_child *c, struct hd_child_result *result,
                            struct hd_err *err);
void hd_child_result_fini(struct hd_child_result *result);

#endif
