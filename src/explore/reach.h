/* A bounded search of the real program from a lead: schedules that begin as the lead says, with at
 * most so many preemptions after it.
 *
 * The thread of a1 stays parked, unless it is released. The hinted thread goes first whenever it
 * can. From each execution others are derived that let another thread run somewhere: where the
 * running one cannot go on, that is free; where it could, it is a preemption, and done only before
 * operations of synchronisation and accesses to memory that no lock guards throughout (guard.h).
 * What the passed-over thread was about to do sleeps until something depends on it (sleep sets). A
 * state that was reached before, at no higher price and with no more asleep, is not gone on from
 * (trail.h).
 *
 * Levels are searched one after the other: level k holds the schedules with k preemptions. What is
 * found does not depend on the number of executions that run at once.
 */
#ifndef HD_EXPLORE_REACH_H
#define HD_EXPLORE_REACH_H

#include "explore/findings.h"
#include "explore/guard.h"
#include "explore/lead.h"
#include "explore/trail.h"

/* What all searches of one program share. */
struct hd_reach_env {
    struct hd_exec_names names;
    struct hd_exec **execs; /* executions at once */
    unsigned n_execs;
    struct hd_findings findings; /* is shown every execution */
    struct hd_order order;
    struct hd_trail trail;
    struct hd_guards guards;
    uint64_t mark;                     /* of the seed: where the program's memory lies */
    uint64_t executions, states, open; /* so far; open: plans that wait, of all searches */
    uint64_t max_executions;           /* 0: any number */
    uint32_t max_level;                /* the last that will be searched */
    double deadline;                   /* hd_progress_now; 0: none */
    void (*progress)(void *ctx);       /* after each execution; or NULL */
    /* An execution shows a new pair of unguarded accesses (guard.h), op is one of them. */
    void (*fresh)(void *ctx, const struct hd_exec_run *run, const struct hd_steer_op *op);
    void *ctx;
};
/* The rest is set by the caller. HD_ERR_INPUT: the program cannot be run. hd_reach_env_fini in any
 * case. */
enum hd_status hd_reach_env_init(struct hd_reach_env *e, const struct hd_exec_opts *opts,
                                 unsigned jobs, struct hd_err *err);
void hd_reach_env_fini(struct hd_reach_env *e);
/* Runs the program once as it goes by itself; what it shows is not new. */
enum hd_status hd_reach_env_seed(struct hd_reach_env *e, struct hd_err *err);
bool hd_reach_used_up(const struct hd_reach_env *e); /* executions or time */

struct hd_reach;

enum { HD_REACH_HINT = 1, HD_REACH_PARK = 2 };
/* how: HD_REACH_*. The lead is copied. */
struct hd_reach *hd_reach_new(struct hd_reach_env *e, const struct hd_lead *lead, unsigned how);
void hd_reach_free(struct hd_reach *r); /* NULL is fine */

/* Searches schedules with `level` preemptions, in at most `quota` executions; levels come in order.
 * Ends early when *stop is set (by what env->findings reports) or something is used up. *done: the
 * level has no more. HD_ERR_STOPPED: interrupted. */
enum hd_status hd_reach_level(struct hd_reach *r, uint32_t level, uint64_t quota, const bool *stop,
                              bool *done, struct hd_err *err);
/* The access at which the parked thread stands, threads and memory by name; NULL: not known, or it
 * is not parked. After level 0. */
const struct hd_steer_op *hd_reach_stands(const struct hd_reach *r);
/* Why schedules were left out that the levels searched so far have; NULL: none were. */
const char *hd_reach_lost(const struct hd_reach *r);

struct hd_freezer; /* freeze.h */
/* A search in a file. hd_reach_thaw: NULL when the freezer is bad. The names of env are those of
 * when it was written. */
void hd_reach_freeze(struct hd_reach *r, struct hd_freezer *z);
struct hd_reach *hd_reach_thaw(struct hd_reach_env *e, struct hd_freezer *z);

#endif
