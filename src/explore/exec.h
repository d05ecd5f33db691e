/* One execution of the program under a plan: who does the first steps, and what comes after them.
 *
 * The same plan gives the same execution, as far as the program depends on nothing but its
 * schedule. Threads and memory have names that hold across executions: a thread is the n-th one
 * that its parent created, a heap block the n-th one that its thread asked for. So an address that
 * is used again is another object. The names are kept in a struct hd_exec_names, which all
 * executions of one search share.
 *
 * Executions leave no log: hd_exec_record runs one again and keeps the recording. Standard
 * output is thrown away, of standard error the last one's is kept.
 *
 * A struct hd_exec runs one execution at a time; to run several at once have several.
 */
#ifndef HD_EXPLORE_EXEC_H
#define HD_EXPLORE_EXEC_H

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "log/rt_steer.h"

#define HD_EXEC_NOBODY HD_STEER_NOBODY

struct hd_exec;

struct hd_exec_opts {
    char **argv;        /* program and arguments, ends with NULL */
    const char *input;  /* file for the standard input, or NULL for none */
    uint32_t timeout;   /* real milliseconds for an execution; 0: 10000 */
    uint32_t max_steps; /* room for operations; 0: 200000 */
};

/* Names of threads and memory: indices are dense and never change. */
struct hd_exec_names {
    struct hd_vec threads; /* struct hd_steer_thread; 0 is the main thread */
    struct hd_vec regions; /* uint64_t: thread that asked for it, and which one of its own */
    struct hd_map thread_of, region_of;
};
void hd_exec_names_init(struct hd_exec_names *n);
void hd_exec_names_fini(struct hd_exec_names *n);
/* The n-th thread, from 1, that a parent created. */
uint32_t hd_exec_name_thread(struct hd_exec_names *n, uint32_t parent, uint32_t child);
/* The seq-th piece of memory that a thread, by name, asked for. */
uint32_t hd_exec_name_region(struct hd_exec_names *n, uint32_t thread, uint32_t seq);

/* ---- plans ---- */

struct hd_exec_plan {
    const struct hd_steer_choice *choices;
    size_t n_choices;
    const struct hd_steer_sleeper *sleepers; /* their operations by raw address */
    size_t n_sleepers;
    const struct hd_steer_op *ops; /* of sleepers */
    size_t n_ops;
    uint64_t parked; /* set of threads */
    uint32_t first;  /* thread to prefer after the choices, or HD_EXEC_NOBODY */
};

/* ---- what happened ---- */

/* An operation. `raw` is what the runtime reported. In `op` threads are names, and addresses of
 * heap blocks, maps and stacks are replaced by names (the top bit is set). */
struct hd_exec_op {
    struct hd_steer_op op, raw;
    bool own; /* memory that its thread asked for in the same step: no other thread knows it */
};

struct hd_exec_step {
    uint32_t thread;
    uint32_t until;    /* events of the thread, this step's included */
    uint32_t wakes;    /* of its signal, or HD_EXEC_NOBODY */
    uint32_t first, n; /* operations */
    uint64_t may_run;  /* threads that were ready or wait with a deadline; some may block */
    uint64_t waiters;  /* of its signal: threads that it could wake */
};

enum hd_exec_end {
    HD_EXEC_EXIT,  /* the program ended; status */
    HD_EXEC_CRASH, /* signal; assertion is not NULL for a failed assertion */
    HD_EXEC_DEADLOCK,
    HD_EXEC_TIMEOUT,   /* it was killed: the steps so far are there */
    HD_EXEC_DIED,      /* killed by something the runtime did not see */
    HD_EXEC_CUT,       /* too many operations */
    HD_EXEC_REDUNDANT, /* only sleepers were left */
    HD_EXEC_PARKED,    /* only parked threads were left */
    HD_EXEC_BLOCKED,   /* the thread of the last choice could not do a step */
    HD_EXEC_DIVERGED,  /* the program did not do again what it did before */
    HD_EXEC_CROWDED,   /* more than HD_STEER_THREADS threads */
    HD_EXEC_ENDS
};
extern const char *const hd_exec_end_names[]; /* "exit", ... */

#define HD_EXEC_CROWD_TEXT "the program has more than 64 threads, which only pct and random take"

struct hd_exec_state { /* a thread at the end */
    uint32_t thread;   /* its name */
    struct hd_steer_state s;
};

/* A semaphore or barrier gets its number before a step. */
struct hd_exec_start {
    uint64_t object; /* as addr of struct hd_exec_op */
    uint32_t step;   /* index */
    uint32_t value;
};

struct hd_exec_run {
    enum hd_exec_end end;
    int wait_status;      /* as waitpid has it; of a crash see states */
    char assertion[300];  /* line of standard error with a failed assertion, or "" */
    uint32_t chosen;      /* choices that were carried out */
    uint32_t untold;      /* set of HD_STEER_FOREIGN_RELEASE and so on (log/rt_steer.h) */
    struct hd_vec steps;  /* struct hd_exec_step */
    struct hd_vec ops;    /* struct hd_exec_op */
    struct hd_vec starts; /* struct hd_exec_start */
    struct hd_vec states; /* struct hd_exec_state, by number in the run */
};

/* HD_ERR_INPUT: the program cannot be run or is not instrumented. names must outlive it. */
enum hd_status hd_exec_open(const struct hd_exec_opts *opts, struct hd_exec_names *names,
                            struct hd_exec **exec, struct hd_err *err);
const char *hd_exec_program(const struct hd_exec *x); /* its file */
void hd_exec_close(struct hd_exec *x);                /* kills a running execution; NULL is fine */

/* Starts an execution; the plan is copied. Then hd_exec_finish, when the descriptor becomes
 * readable or at once: it waits. */
enum hd_status hd_exec_start(struct hd_exec *x, const struct hd_exec_plan *plan,
                             struct hd_err *err);
/* HD_ERR_STOPPED: interrupted by the user. run is emptied first; hd_exec_run_fini in every case. */
enum hd_status hd_exec_finish(struct hd_exec *x, struct hd_exec_run *run, struct hd_err *err);
/* The same in two parts, so that executions get their names in the order in which they are read,
 * whenever they ended. */
struct hd_exec_left {
    struct hd_steer_header *area; /* a copy; or NULL */
    size_t bytes;
    int wait_status;
    bool ended;
    char assertion[300];
};
bool hd_exec_ready(struct hd_exec *x); /* it has ended: hd_exec_collect will not wait */
enum hd_status hd_exec_collect(struct hd_exec *x, struct hd_exec_left *left, struct hd_err *err);
enum hd_status hd_exec_read(const struct hd_exec *x, const struct hd_exec_left *left,
                            struct hd_exec_run *run, struct hd_err *err);
void hd_exec_left_fini(struct hd_exec_left *left);
/* hd_exec_start and hd_exec_finish. */
enum hd_status hd_exec_run(struct hd_exec *x, const struct hd_exec_plan *plan,
                           struct hd_exec_run *run, struct hd_err *err);
void hd_exec_run_init(struct hd_exec_run *run);
void hd_exec_run_fini(struct hd_exec_run *run);

/* Runs the choices again (each with its `until`), lets the program go on to its end and keeps the
 * recording at path, as heddle record would. *end is how that run ended: exit, crash, deadlock or
 * timeout. limit: keep so many events; 0: all. */
enum hd_status hd_exec_record(struct hd_exec *x, const struct hd_exec_plan *plan, const char *path,
                              uint64_t limit, enum hd_exec_end *end, struct hd_err *err);

/* How thread `name` was created; false: there is no such name. */
bool hd_exec_thread(const struct hd_exec *x, uint32_t name, struct hd_steer_thread *path);

/* One of the things that run->untold is a set of, in words; NULL: nothing is untold. */
const char *hd_exec_run_untold(const struct hd_exec_run *run);

static inline const struct hd_exec_step *hd_run_step(const struct hd_exec_run *r, size_t i)
{
    return hd_vec_at(&r->steps, i);
}

static inline const struct hd_exec_op *hd_run_op(const struct hd_exec_run *r, size_t i)
{
    return hd_vec_at(&r->ops, i);
}

#endif
