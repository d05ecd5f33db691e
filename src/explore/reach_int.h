/* A search from a lead from inside: what reach.c and derive.c share. */
#ifndef HD_EXPLORE_REACH_INT_H
#define HD_EXPLORE_REACH_INT_H

#include "explore/reach.h"

#define HD_REACH_LEVELS 8

/* An execution to be done. */
struct hd_item {
    struct hd_vec choices;  /* struct hd_steer_choice */
    struct hd_vec sleepers; /* struct hd_steer_sleeper */
    struct hd_vec ops;      /* struct hd_steer_op: of sleepers, by raw address */
    uint32_t depth; /* steps that it shares with the one it was derived from, and one more */
    uint32_t cost;  /* preemptions */
    struct hd_exec_run *run; /* what happened, when it was done ahead of its turn */
    enum hd_status status;
};

/* Plans of one level, those of the hinted thread apart because they go first. */
struct hd_item_queue {
    struct hd_vec items; /* struct hd_item * */
    size_t head;
};

struct hd_visit {
    uint32_t cost;
    uint64_t asleep;
};

struct hd_reach {
    struct hd_reach_env *e;
    struct hd_item_queue queue[HD_REACH_LEVELS][2]; /* [1]: of the hinted thread */
    uint64_t parked;                                /* set of threads by name */
    uint32_t hint, parked_thread;
    uint32_t count;    /* events of the parked thread where it is to stand */
    uint32_t n_prefix; /* choices of the lead */
    uint32_t base;     /* steps of the lead */
    bool has_stand, writes, atomic;
    const char *lost; /* the first reason why executions could not be used; or NULL */
    struct hd_steer_op stand;
    struct hd_map visit_of; /* states to index */
    struct hd_vec visits;   /* struct hd_visit */
    struct hd_vec waiting;  /* struct hd_item *: by executor, what it works on, or NULL */
};

struct hd_reach *hd_reach_blank(struct hd_reach_env *e); /* without anything to do */
struct hd_item *hd_item_new(void);
void hd_item_free(struct hd_item *item);
void hd_reach_push(struct hd_reach *r, struct hd_item *item, bool hinted);

/* derive.c: puts what can be derived from an execution into the queues. */
void hd_reach_derive(struct hd_reach *r, const struct hd_item *item, const struct hd_exec_run *run);

#endif
