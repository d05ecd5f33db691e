/* The path of a depth-first search over schedules: a node for each step of the current execution.
 *
 * A node is the state before its step. It knows which threads are to be tried there, which were,
 * and who sleeps: a thread whose step from this state leads only to schedules that have been
 * explored already, with that step, until another step that depends on it is taken.
 * Sleepers and their operations lie on two stacks beside that of the nodes.
 */
#ifndef HD_EXPLORE_BRANCH_STACK_H
#define HD_EXPLORE_BRANCH_STACK_H

#include "explore/exec.h"

struct hd_node {
    struct hd_exec_step step;     /* the one being explored; its operations are at `op` */
    uint32_t op;                  /* in ops of the stack */
    uint32_t sleeper, n_sleepers; /* in sleepers of the stack */
    uint64_t to_try;              /* threads, those tried included */
    uint64_t tried;               /* threads */
    uint64_t asleep;              /* threads that came asleep */
    uint64_t promised;            /* the thread that is tried next, settled when it was added */
    uint64_t wakes_left;          /* of a signal: waiters that it is still to wake, one at a time */
    uint32_t preemptions;         /* before it */
    uint32_t choices;             /* of a divided search: on the way to it; schedule_share.h */
    uint64_t extra;               /* and threads to try when there are no others */
    bool fresh;                   /* the step is a choice that has not been carried out yet */
};

struct hd_sleeper {
    uint32_t thread;
    uint32_t op, n; /* in ops of the stack */
};

struct hd_branch_stack {
    struct hd_vec nodes;    /* struct hd_node */
    struct hd_vec sleepers; /* struct hd_sleeper */
    struct hd_vec ops;      /* struct hd_exec_op */
    /* A plan for the path; rebuilt by hd_branch_stack_plan. */
    struct hd_vec choices, plan_sleepers, plan_ops;
};

void hd_branch_stack_init(struct hd_branch_stack *s);
void hd_branch_stack_fini(struct hd_branch_stack *s);

static inline struct hd_node *hd_stack_at(const struct hd_branch_stack *s, size_t i)
{
    return hd_vec_at(&s->nodes, i);
}

/* Takes over step i of run: for the last node, when it is fresh, or for a new one behind it, whose
 * `choices` is 0. False: its thread is asleep there, and nothing was done. */
bool hd_branch_stack_add(struct hd_branch_stack *s, const struct hd_exec_run *run, uint32_t i);

/* Adds threads to those that are to be tried at a node. */
void hd_branch_stack_try(struct hd_node *n, uint64_t threads);

/* Whether the first steps of run are those of the nodes before the last n. */
bool hd_branch_stack_agrees(const struct hd_branch_stack *s, const struct hd_exec_run *run,
                            size_t n);

/* The next choice that is to be tried, at the deepest node that has one: it becomes the last node.
 * A node that comes to its `extra` threads is no longer in the top of a divided search.
 * A choice that was not carried out is passed over. `use_sleep` false: no thread ever sleeps.
 * `bounded` is set when the limit on preemptions kept a thread from being tried. False: none is
 * left. */
bool hd_branch_stack_next(struct hd_branch_stack *s, uint32_t preemptions, bool use_sleep,
                          bool *bounded);

/* The plan that carries out the path; valid until the next call. */
void hd_branch_stack_plan(struct hd_branch_stack *s, struct hd_exec_plan *plan);

/* The plan that hd_branch_stack_plan will give when node i comes to its next choice, if nothing is
 * added to the node until then. False: it has none that can be told. Valid until the next call. */
bool hd_branch_stack_plan_later(struct hd_branch_stack *s, size_t i, struct hd_exec_plan *plan);

struct hd_freezer; /* freeze.h */

/* Writes it, or reads it into an empty one. A stack that was read and is not one makes the freezer
 * bad. */
void hd_branch_stack_freeze(struct hd_branch_stack *s, struct hd_freezer *z, uint32_t n_threads);

/* Whether the first steps of run, as many as hd_branch_stack_agrees compares, lie at the same
 * addresses: what sleepers are about to do is known by address. */
bool hd_branch_stack_lies_so(const struct hd_branch_stack *s, const struct hd_exec_run *run,
                             size_t n);

#endif
