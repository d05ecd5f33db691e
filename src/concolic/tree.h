/* The tree of paths: which choices were taken, which are open, which cannot be.
 *
 * A node is a choice reached by one prefix of choices. Runs add their path; the other way of each
 * new choice becomes open. A subtree is complete when nothing below it is open or being run and no
 * question about it was given up.
 */
#ifndef HD_CONCOLIC_TREE_H
#define HD_CONCOLIC_TREE_H

#include "base/hash.h"
#include "base/vec.h"
#include "concolic/path.h"

enum hd_flip {
    HD_FLIP_NONE,       /* not a choice, or too deep */
    HD_FLIP_OPEN,       /* to be tried */
    HD_FLIP_DONE,       /* a run went that way */
    HD_FLIP_INFEASIBLE, /* no input goes that way; the reason is in `core` */
    HD_FLIP_UNKNOWN,    /* the solver gave up, or a run that was meant to went elsewhere */
    HD_FLIP_PRUNED,     /* nothing new can be covered from here on; the reason is in `core` */
    HD_FLIP_ELSEWHERE,  /* another share tries it */
};

/* A reason: steps of a path that together exclude something. */
struct hd_core {
    struct hd_path *path; /* a reference, or NULL */
    struct hd_u32vec steps;
};

struct hd_tree_node {
    uint32_t parent, depth;  /* the root is its own parent */
    uint32_t child, sibling; /* 0: none */
    uint32_t pending;        /* open choices here and below */
    bool given_up;           /* something here or below is UNKNOWN or ELSEWHERE */
    enum hd_flip flip;       /* of the other way */
    uint64_t state;          /* equal: the same place with the same state (hd_sym_step.past) */
    struct hd_core core;
};

struct hd_tree {
    struct hd_vec nodes;      /* struct hd_tree_node; the root is 1, 0 is none */
    struct hd_map child_of;   /* (node, choice) -> node */
    struct hd_map with_state; /* state -> the latest node that has it */
    struct hd_vec same;       /* uint32_t by node: the one before it with the same state */
};

void hd_tree_init(struct hd_tree *t);
void hd_tree_fini(struct hd_tree *t);
struct hd_tree_node *hd_tree_at(const struct hd_tree *t, uint32_t node);
/* The node behind `node` after this choice; *fresh: it is new. */
uint32_t hd_tree_enter(struct hd_tree *t, uint32_t node, uint64_t choice, bool *fresh);
/* The node is a choice in this state; remembered for hd_tree_same. Once per node. */
void hd_tree_mark(struct hd_tree *t, uint32_t node, uint64_t state);
/* Another node in the same state, after `before` (0: the first). 0: no more. */
uint32_t hd_tree_same(const struct hd_tree *t, uint32_t node, uint32_t before);
void hd_tree_open(struct hd_tree *t, uint32_t node);                     /* the other way */
void hd_tree_close(struct hd_tree *t, uint32_t node, enum hd_flip flip); /* it was open */
/* What is below this node is not all known here: nothing may be concluded from it. */
void hd_tree_give_up(struct hd_tree *t, uint32_t node, enum hd_flip flip);
void hd_tree_set_core(struct hd_tree *t, uint32_t node, struct hd_path *path,
                      const struct hd_u32vec *steps);
bool hd_tree_is_above(const struct hd_tree *t, uint32_t upper, uint32_t node);

#endif
