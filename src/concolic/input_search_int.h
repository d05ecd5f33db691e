/* State of a search; shared by the files of this room only. */
#ifndef HD_CONCOLIC_INPUT_SEARCH_INT_H
#define HD_CONCOLIC_INPUT_SEARCH_INT_H

#include "concolic/formula.h"
#include "concolic/input_search.h"
#include "concolic/tree.h"

#include <stdio.h>

/* The other way of step `step` of a path, to be tried. */
struct hd_todo {
    struct hd_path *path; /* a reference */
    uint32_t step, node;
};

/* A run under way, and what was expected of it. */
struct hd_flight {
    struct hd_input_run run;
    struct hd_input in;
    struct hd_path *from; /* NULL: the first run */
    uint32_t step;        /* of from, that goes the other way */
    uint32_t node;
    bool kept; /* its files stay */
};

struct hd_search {
    const struct hd_hunt_options *o;
    struct hd_hunt_stats *stats;
    struct hd_err *err;
    char dir[PATH_MAX];
    struct hd_tree tree;
    struct hd_vec todo;    /* struct hd_todo; the last is the next, depth first */
    struct hd_vec targets; /* struct hd_todo: indirect calls that went somewhere */
    uint8_t *cover;        /* by outcome */
    uint32_t cap_cover;
    struct hd_names known; /* findings already reported */
    struct hd_names given; /* inputs that a run asked for: "stdin", "rand" of rand#2 */
    struct hd_map tried;   /* choices that were taken by a run or asked for */
    FILE *messages;
    double started;
    uint32_t next_test;
    struct hd_bv *bv; /* hd_input_search_solver */
    uint32_t bv_used;
    bool told_branches;
    struct hd_input first; /* what the first run read */
    bool text_tried;       /* a line of text was its input */
};

/* input_search.c: where the next formula goes; no formula may be under way. */
struct hd_bv *hd_input_search_solver(struct hd_search *s);

/* prune.c: can nothing new be covered from step i of the path on, which is at this node? Then the
 * reason is kept there. */
bool hd_input_search_prune(struct hd_search *s, struct hd_path *p, uint32_t node, uint32_t i);

/* find.c */
void hd_input_search_find(struct hd_search *s, struct hd_flight *f); /* prediction, crashes, ... */
void hd_input_search_cover(struct hd_search *s, const struct hd_shared_arena *a);
void hd_input_search_uncovered(struct hd_search *s, const struct hd_shared_arena *a);

#endif
