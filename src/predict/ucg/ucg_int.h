/* The inside of a causality graph: the batch of properties it is for, and its nodes. Inside
 * predict/ucg*.c only.
 *
 * All properties of a batch share the nodes, the base orders and the barrier. They differ in what
 * runs (cuts), in what may run (limits) and in their seeds; what is induced carries the set of
 * properties it is induced for. A node that does not run for a property only hands on what the
 * node before it has, so that an answer does not depend on the others of the batch.
 *
 * Rules are written for one property, the `one` in hand. Each look at the graph takes from `same`
 * those of the batch for which it would have shown something else; what the rule adds, it adds for
 * all that are left in `same`.
 */
#ifndef HD_PREDICT_UCG_UCG_INT_H
#define HD_PREDICT_UCG_UCG_INT_H

#include "predict/search/goal.h"
#include "predict/ucg/ucg.h"
#include "predict/ucg/ucg_edges.h"
#include "predict/ucg/ucg_labels.h"

/* The synchronisation events of one thread from the barrier to the farthest cut. A row is one cell
 * for each thread. */
struct hd_ucg_region {
    uint32_t barrier;       /* events before it are not in the graph */
    uint32_t bound;         /* the barrier is not beyond this */
    uint32_t reach;         /* the farthest cut */
    uint32_t low_limit;     /* the least of the limits */
    uint32_t first;         /* index of the first node in base->sync */
    uint32_t n;             /* nodes */
    struct hd_ucg_cell cut; /* events that run in every schedule with the property */
    struct hd_vec limits;   /* struct hd_ucg_part: events that may run, where there is a stop */
    struct hd_vec rows;     /* struct hd_ucg_cell */
};

/* The part of a thread that a graph has at least. */
struct hd_ucg_span {
    uint32_t low, high;
    uint32_t widest; /* in nodes, of one goal */
};

enum { HD_UCG_WIDTHS = 13 };

enum hd_ucg_outcome { HD_UCG_GOES_ON, HD_UCG_CHOPPED_TOO_MUCH, HD_UCG_TOO_LARGE };

struct hd_ucg {
    const struct hd_ucg_base *b;
    bool chop;
    struct hd_goal goals[HD_UCG_BATCH]; /* that wait for their graph */
    uint32_t *starts;                   /* by goal and thread: what the goal alone makes run */
    unsigned waiting;
    uint64_t possible;          /* by goal, after the graph */
    struct hd_ucg_span *spans;  /* by thread: of all that wait */
    unsigned width, batches;    /* the span is 2^width, or 0 */
    double paid[HD_UCG_WIDTHS]; /* for a goal, by width; 0: not known */
    unsigned from, n_goals;     /* the batch: goals from, ... are the properties 0, ... */
    struct hd_ucg_edges edges;
    struct hd_ucg_region *regions; /* by thread */
    size_t max_levels;             /* beyond which a batch is taken apart */
    double deadline;               /* or 0 */
    bool built;                    /* the regions have their nodes */
    bool changed;
    unsigned one;  /* the property that a rule looks at */
    uint64_t same; /* those for which all it saw is the same */
    uint32_t *low; /* scratch: a clock */
    struct hd_ucg_labels labels;
    uint64_t visits;                /* of nodes */
    uint64_t first_nodes;           /* of the first batch */
    uint64_t nodes, shared, graphs; /* counts, see ucg.h */
};

/* Gives the new nodes below the farthest cut their rows. */
void hd_ucg_extend(struct hd_ucg *g, hd_tid u);

/* At least `count` events of u run, for these properties; those that do not allow it are dead. */
void hd_ucg_run_at_least(struct hd_ucg *g, hd_tid u, uint32_t count, uint64_t of);

/* To the fixpoint: what is alive then is not contradicted. */
enum hd_ucg_outcome hd_ucg_close(struct hd_ucg *g);

static inline struct hd_ucg_cell *hd_ucg_row(const struct hd_ucg *g, hd_tid u, uint32_t node)
{
    return (struct hd_ucg_cell *)g->regions[u].rows.data + (size_t)node * g->b->n_threads;
}

static inline hd_eid hd_ucg_node_event(const struct hd_ucg *g, hd_tid u, uint32_t node)
{
    return hd_ucg_base_event(g->b, u, g->b->sync[g->regions[u].first + node]);
}

#endif
