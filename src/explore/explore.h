/* Searching all schedules of a small program by running it again and again: strategy `dpor`.
 *
 * Each class of schedules that differ only in the order of independent operations is run once. What
 * is found is reported at once, each different finding once, with choices that lead there. The same
 * options give the same findings in the same order, whatever the number of jobs, unless a budget of
 * time cuts the search short. The other strategies have headers of their own: guided.h, sample.h.
 */
#ifndef HD_EXPLORE_EXPLORE_H
#define HD_EXPLORE_EXPLORE_H

#include "explore/exec.h"
#include "explore/schedule_share.h"

struct hd_order; /* order.h */

enum hd_explore_kind {
    HD_EXPLORE_RACE,
    HD_EXPLORE_DEADLOCK,
    HD_EXPLORE_ASSERTION,
    HD_EXPLORE_CRASH,
    HD_EXPLORE_HANG, /* an execution that did not end in its time */
};
extern const char *const hd_explore_kind_names[]; /* "race", "deadlock", ... */

/* A finding. For a race: after the choices both threads stand at their accesses, ops[0] and ops[1].
 * Otherwise: the program, running on after the choices, ends that way. */
struct hd_explore_finding {
    enum hd_explore_kind kind;
    const struct hd_steer_choice *choices; /* each with its `until`; the caller copies */
    size_t n_choices;
    struct hd_steer_op ops[2]; /* a race; threads are names */
    int signal;                /* crash, assertion */
    struct hd_exec *exec;      /* to run it again: kept.h; until the callback returns */
    const char *text;          /* of a failed assertion; else "" */
};

struct hd_explore_progress {
    uint64_t executions; /* all of them */
    uint64_t schedules;  /* different ones that ran to their end */
    uint64_t redundant;  /* stopped: they would have led to a schedule already seen */
    uint64_t states;     /* different steps taken: nodes of the tree of schedules */
    uint64_t frontier;   /* choices that are still to be tried */
    uint64_t findings;
    uint64_t depth; /* steps of the last execution */
    double seconds;
};

/* How much of the reduction is left out. */
enum hd_explore_all {
    HD_EXPLORE_REDUCED,
    HD_EXPLORE_ASLEEP, /* every thread is tried at every node, unless it sleeps */
    HD_EXPLORE_ALL,    /* every order of every step */
};

struct hd_explore_opts {
    struct hd_exec_opts exec;
    uint64_t budget;      /* milliseconds; 0: no limit */
    uint64_t runs;        /* executions; 0: no limit */
    uint32_t jobs;        /* at once; at least 1 */
    uint32_t preemptions; /* at most; UINT32_MAX: any number */
    struct hd_schedule_share share;
    const char *state;       /* file in which the search is kept when it ends; or NULL */
    bool resume;             /* it goes on from there; budget and runs count from now */
    bool whole;              /* end as soon as it is known that not all will be explored */
    enum hd_explore_all all; /* for tests */
    void *ctx;
    void (*progress)(void *ctx, const struct hd_explore_progress *p); /* after each; or NULL */
    void (*found)(void *ctx, const struct hd_explore_finding *f);     /* or NULL */
    /* Each execution that ran to its end, or NULL. */
    void (*ran)(void *ctx, const struct hd_exec_run *run, const struct hd_order *order);
};

struct hd_explore_result {
    struct hd_explore_progress p;
    bool complete; /* every schedule (of our share) was explored: no bound, budget or loss cut
                      anything */
    char why[200]; /* when not: what did */
};

/* HD_ERR_INPUT: the program cannot be run, or is not the one of the search that is to go on;
 * HD_ERR_STOPPED: the user interrupted, and the result has how far it went. The counts of a
 * search that goes on include those of its earlier parts; what was found then is not reported
 * again. */
enum hd_status hd_explore_dpor(const struct hd_explore_opts *opts, struct hd_explore_result *result,
                               struct hd_err *err);

#endif
