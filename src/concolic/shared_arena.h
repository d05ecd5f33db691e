/* The arena file of one run (abi/sym_abi.h), from the driver's side: make it, read it.
 *
 * The program under test may have died anywhere or written over it, so everything is checked when
 * it is read: a node whose operands do not come before it, or whose value does not follow from
 * theirs, ends the usable part (`bad`).
 */
#ifndef HD_CONCOLIC_SHARED_ARENA_H
#define HD_CONCOLIC_SHARED_ARENA_H

#include "base/err.h"
#include "concolic/input.h"
#include "abi/sym_abi.h"

struct hd_shared_arena {
    const struct hd_sym_header *header;
    const uint8_t *base;
    const struct hd_sym_node *nodes;
    const struct hd_sym_step *steps;
    const struct hd_sym_object *objects;
    const struct hd_sym_branch *branches;
    const uint8_t *cover, *data;
    const char *strings;
    uint32_t n_nodes, n_steps, n_objects, n_branches, n_outcomes; /* that can be trusted */
    uint32_t bad; /* the first node that breaks the rules, or 0 */
};

/* Makes the file with the input as the given part. repeat: any number of runs may use it, and none
 * leaves anything in it. HD_ERR_IO, or HD_ERR_LIMIT when it is too big. */
enum hd_status hd_shared_arena_create(const char *path, const struct hd_input *in, bool repeat,
                                      struct hd_err *err);
/* Maps it after the run. HD_ERR_INPUT: no process claimed it, the program was not built for this.
 */
enum hd_status hd_shared_arena_open(const char *path, struct hd_shared_arena *a,
                                    struct hd_err *err);
void hd_shared_arena_close(struct hd_shared_arena *a);
const char *hd_shared_arena_string(const struct hd_shared_arena *a, uint32_t at);

/* What a node's value must be, given the nodes before it. INPUT and CONST answer their own. */
uint64_t hd_shared_arena_eval(const struct hd_sym_node *nodes, uint32_t id);

#endif
