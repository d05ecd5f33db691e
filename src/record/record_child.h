/* Records a run in a process of its own, so that several can go on at once and that neither the
 * program's output nor its end touches us.
 *
 * What the program writes goes to a file, its standard input comes from one. A run that uses up its
 * processor time, or ten times that on the clock, is ended; what it did until then is kept. Ctrl-C
 * on the terminal reaches only us: the run that is waited for is killed then. A raw log does not
 * stay behind.
 */
#ifndef HD_RECORD_RECORD_CHILD_H
#define HD_RECORD_RECORD_CHILD_H

#include "record/record.h"

#include <limits.h>
#include <sys/types.h>

enum hd_ending {
    HD_END_EXIT,     /* `status` is its exit status */
    HD_END_SIGNAL,   /* `status` is the signal */
    HD_END_DEADLOCK, /* the scheduler ended it */
    HD_END_TIMEOUT,  /* we ended it */
    HD_END_MEMORY,   /* killed by the system, or out of the memory it was allowed */
};

struct hd_record_child_opts {
    struct hd_record_opts record; /* out: an absolute path */
    const char *output;           /* file for what the program writes */
    const char *input;            /* file to read from; NULL: the null device */
    double seconds;               /* of processor time */
    double real;                  /* of real time; 0: ten times as much */
    uint64_t memory;              /* bytes of address space; 0: no limit */
    const char *variable, *value; /* set in the program's environment; or NULL */
    /* Called in the other process with the path of the trace, so that its work is done at once with
     * that of others; its result is in `after`. May be NULL. */
    uint64_t (*after)(const char *trace);
};

struct hd_record_child {
    char trace[PATH_MAX], output[PATH_MAX];
    pid_t pid;  /* 0: not going on */
    int answer; /* pipe */
    double deadline;
    /* After hd_record_child_wait. */
    enum hd_ending ending;
    int status, wait_status;
    bool random_addresses;
    uint64_t events, threads, after;
    char assertion[512]; /* the message of a failed assertion, or "" */
};

/* Starts it. hd_record_child_kill in any case, before the struct goes. */
enum hd_status hd_record_child_start(struct hd_record_child *a,
                                     const struct hd_record_child_opts *opts, struct hd_err *err);
/* Waits for its end. HD_ERR_INPUT: the program cannot be run or is not instrumented;
 * HD_ERR_STOPPED: the user interrupted, the run is killed. */
enum hd_status hd_record_child_wait(struct hd_record_child *a, struct hd_err *err);
/* If it is still going on; its files go as well. True: it was. */
bool hd_record_child_kill(struct hd_record_child *a);
void hd_record_child_remove(struct hd_record_child *a); /* its files */

#endif
