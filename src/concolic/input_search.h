/* The search over inputs: runs the program, negates a choice of its path, asks the solver for an
 * input that goes the other way, runs again; each run is recorded under policy fifo and predicted
 * on.
 *
 * A program without races behaves the same under every schedule, so one schedule is enough to
 * explore its inputs; races on the way are found by prediction. Findings come with the input that
 * leads there, and races with the schedule.
 *
 * Pruning keeps branch coverage, not every path: a run that reaches a state in which another run
 * was, whose continuations are all known, and whose path condition implies what made the others
 * infeasible, can cover nothing new from there. docs/algorithms/inputs.md defines "state".
 *
 * The folder, which is empty at first, gets testNNNNNN.input and .ktest for each path; for a
 * finding also its trace, the witness, the reason and each input object as a plain file; and `info`
 * and `messages.txt`. Ctrl-C ends the search with what it has.
 */
#ifndef HD_CONCOLIC_INPUT_SEARCH_H
#define HD_CONCOLIC_INPUT_SEARCH_H

#include "concolic/input.h"
#include "concolic/path_share.h"
#include "concolic/run.h"
#include "abi/sym_abi.h"
#include "predict/run/predict.h"

enum hd_hunt_order { HD_HUNT_DEPTH, HD_HUNT_COVERAGE };

enum hd_found_kind {
    HD_FOUND_RACE,
    HD_FOUND_ASSERTION,
    HD_FOUND_CRASH,
    HD_FOUND_DEADLOCK,
    HD_FOUND_MEMORY,
    HD_FOUND_HANG,
    HD_FOUND_KINDS
};
extern const char *const hd_found_names[HD_FOUND_KINDS]; /* "race", "assertion", ... */

struct hd_found {
    enum hd_found_kind kind;
    uint32_t test;    /* number of the run */
    const char *text; /* one line */
    const struct hd_trace *trace;
    const struct hd_predicted *race;    /* RACE only */
    const struct hd_witness *predicted; /* NULL: it happened in the run itself */
    const struct hd_record_child *run;  /* how the run ended; its trace stays in the folder */
    const struct hd_input *in;
    const char *input, *witness; /* paths; witness: when it was predicted, else NULL */
};

struct hd_hunt_options {
    const struct hd_input *seed; /* the program, the places that are input, their first values */
    const char *dir;             /* made if it is missing */
    enum hd_hunt_order order;
    double seconds;        /* for the search; 0: no limit */
    double solver_seconds; /* for one question */
    uint64_t max_paths;    /* runs; 0: no limit */
    uint32_t max_depth;    /* choices of a path that are looked at */
    unsigned jobs;         /* runs at a time, and workers of prediction */
    struct hd_path_share share;
    bool no_prune, no_predict, first_only, keep_all;
    bool asked_calls; /* the places "call:" of the seed were asked for, and are no default */
    struct hd_run_limits limits;
    /* Called with the trace, the input and all files of the run in place: it can be repeated. */
    void (*found)(void *ctx, const struct hd_found *f);
    void (*progress)(void *ctx, uint64_t paths, uint64_t open);
    void *ctx;
};
void hd_input_search_defaults(struct hd_hunt_options *o);

struct hd_hunt_stats {
    uint64_t paths, open; /* runs; choices left untried */
    uint64_t others;      /* of the runs: paths of other shares, which were not looked into */
    uint64_t infeasible, unknown, pruned, diverged, repeated;
    uint64_t checks, tried; /* questions that went to the solver, and that did not need it */
    double seconds, solver_seconds, run_seconds, predict_seconds;
    double first_race; /* seconds from the start; negative: none */
    uint32_t covered, outcomes;
    uint64_t found[HD_FOUND_KINDS];
    uint64_t undecided; /* pairs that prediction left open */
    uint64_t unread;    /* runs whose trace could not be read or predicted on */
    uint64_t too_deep;  /* runs with more choices than max_depth */
    uint64_t lost[HD_SYM_LOST_COUNT];
    uint64_t bad;              /* expressions whose value did not follow: dropped */
    struct hd_names calls;     /* functions that are not modelled */
    struct hd_names ignored;   /* functions that were asked for and whose result was never input */
    struct hd_names notes;     /* sentences of the recorder: what it could not see */
    struct hd_names uncovered; /* "file.c:12 (true)", in order */
    uint64_t events, threads;  /* of all runs; the largest number of threads */
    int wait_status;           /* of the first run */
    const char *why_ended;     /* "every path was tried", "time", ... */
    bool complete;             /* nothing is open, given up, undecided, too deep or made concrete,
                                * and every run went where it should */
};

/* Whether the program of the input can be searched at all. HD_ERR_INPUT: why not. */
enum hd_status hd_input_search_check(const struct hd_hunt_options *o, struct hd_err *err);
/* HD_ERR_INPUT: the program cannot be used. Ctrl-C and budgets are not errors. The caller ends
 * *stats with hd_input_search_stats_fini in every case. */
enum hd_status hd_input_search_run(const struct hd_hunt_options *o, struct hd_hunt_stats *stats,
                                   struct hd_err *err);
void hd_input_search_stats_fini(struct hd_hunt_stats *stats);

#endif
