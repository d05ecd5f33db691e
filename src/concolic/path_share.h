/* A search for many machines: the tree of paths is divided among shares by its first choices.
 *
 * The first `top` choices of a path decide whose it is, by a hash that is the same in every run of
 * the same program. Each share walks the top of the tree, because its choices are not known before
 * a run has made them; below it, a share tries only what is its own. So each path is looked into by
 * one share, and the shares together look into what one search would. docs/algorithms/inputs.md.
 */
#ifndef HD_CONCOLIC_PATH_SHARE_H
#define HD_CONCOLIC_PATH_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_path_share {
    uint32_t number, of; /* from 0; of 0 or 1: everything is ours */
};

/* A way down from the root of the tree. */
struct hd_path_way {
    uint64_t hash;
    uint32_t choices; /* that the hash is made of */
};

/* One more choice (hd_path_choice). */
struct hd_path_way hd_path_way_after(const struct hd_path_share *share, struct hd_path_way way,
                                     uint64_t choice);
/* Whether paths that begin like this may be ours. */
bool hd_path_share_has(const struct hd_path_share *share, struct hd_path_way way);
/* Whether a path that is over is ours. */
bool hd_path_share_owns(const struct hd_path_share *share, struct hd_path_way way);

#endif
