/* A search for many machines: the tree of schedules is divided among shares by prefixes of
 * schedules.
 *
 * The top of the tree is what lies above some number of choices: nodes at which more than one
 * thread can go on. Which threads are tried there is guessed from the first execution of each
 * prefix alone, so that every share walks the same top in the same order. It numbers the prefixes;
 * every N-th one is its own, and below the others it does not look. What the guess has left out
 * shows as a race below an own prefix: it is tried when the walk is done with the node (`extra`),
 * by the share that has found it, as a whole. How many choices the top has is found by walking it,
 * deeper and deeper, until there are some prefixes for each share; prefixes that lead to redundant
 * executions do not count. docs/algorithms/exploring.md has the argument.
 */
#ifndef HD_EXPLORE_SCHEDULE_SHARE_H
#define HD_EXPLORE_SCHEDULE_SHARE_H

#include "explore/branch_stack.h"

struct hd_schedule_share {
    uint32_t number, of; /* from 0; of 0 or 1: everything is ours */
};

/* The walk over the top. All zero: the search is not divided. */
struct hd_schedule_top {
    uint32_t depth;             /* choices; 0: there is no top */
    uint32_t shallower;         /* the depth before */
    bool scouting;              /* it looks for the depth, and at nothing below */
    uint64_t runs;              /* executions of this walk */
    uint64_t useful, redundant; /* prefixes come to */
    uint64_t short_runs;        /* executions that ended in the top */
};

/* Begins to look for a depth, if there is a share. */
void hd_schedule_share_scout(struct hd_schedule_top *top, const struct hd_schedule_share *share);
/* Whether the walk is longer than it is worth. */
bool hd_schedule_share_too_long(const struct hd_schedule_top *top,
                                const struct hd_schedule_share *share);
/* A walk that was scouting is over, or too long: a deeper one comes next, or the search itself. */
void hd_schedule_share_walked(struct hd_schedule_top *top, const struct hd_schedule_share *share);

/* Whether more than one thread can go on at a node. */
static inline bool hd_schedule_chooses(const struct hd_node *n)
{
    uint64_t ways = n->step.may_run & ~n->asleep;
    return (ways & (ways - 1)) != 0;
}

/* Threads to be tried at the node of step i of an execution besides the thread of the step: those
 * that come to something later on which might have come before it. */
uint64_t hd_schedule_share_guess(const struct hd_exec_names *names, const struct hd_exec_run *run,
                                 size_t i);

/* Choices on the way to the node behind `before`, or to the root when it is NULL. */
uint32_t hd_schedule_share_choices(const struct hd_node *before);
static inline bool hd_schedule_in_top(const struct hd_schedule_top *top, const struct hd_node *n)
{
    return n->choices < top->depth;
}

/* The walk has come to the next prefix: whether it is ours. */
bool hd_schedule_share_owns(struct hd_schedule_top *top, const struct hd_schedule_share *share,
                            bool redundant);

#endif
