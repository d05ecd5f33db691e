/* The path condition of one run: its steps, and the expressions that they need.
 *
 * Counted, because the branches of a path that are still to be tried refer to it. Expressions have
 * hashes that are the same in every run of the same program, which is how a later run is compared
 * with what was expected of it.
 */
#ifndef HD_CONCOLIC_PATH_H
#define HD_CONCOLIC_PATH_H

#include "concolic/shared_arena.h"
#include "concolic/input.h"

struct hd_path {
    uint32_t refs;
    uint32_t number;           /* of the run */
    struct hd_sym_node *nodes; /* from 1; operands come first */
    uint64_t *hash;            /* by node */
    uint32_t n_nodes, n_steps;
    struct hd_sym_step *steps;
    struct hd_input input;          /* what the run was given, with the bytes it really saw */
    struct hd_input_bytes *objects; /* names; INPUT nodes refer to them by number */
    uint32_t n_objects;
};

/* Copies what matters out of the arena. `in` is what the run was started with. One reference. */
struct hd_path *hd_path_new(const struct hd_shared_arena *a, const struct hd_input *in,
                            uint32_t number, uint32_t max_steps);
struct hd_path *hd_path_get(struct hd_path *p);
void hd_path_put(struct hd_path *p); /* NULL is fine */

/* A number for step i and the way it went. Equal in two runs: the same choice. */
uint64_t hd_path_choice(const struct hd_path *p, uint32_t i, bool taken);

#endif
