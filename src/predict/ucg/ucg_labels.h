/* Labels of properties: properties with the same label have the same graph, up to events that
 * nothing in it looks at, and so the same answer. One graph then serves all of them.
 *
 * A stretch of a thread is a run of positions among which a stop, or an event of the property, can
 * be moved and no order changes: there is no synchronisation event between them, the events need
 * the same of other threads, and no other event needs just a part of them. The label of a race or
 * an atomicity violation is the stretches of its events. Deadlocks stop at synchronisation events;
 * they are few, and have no labels.
 */
#ifndef HD_PREDICT_UCG_UCG_LABELS_H
#define HD_PREDICT_UCG_UCG_LABELS_H

#include "base/hash.h"
#include "predict/search/goal.h"
#include "predict/ucg/ucg_base.h"

struct hd_ucg_labels {
    struct hd_map pairs;   /* (stretch of c, stretch of c'): number of the pair + 1 */
    struct hd_map answers; /* label: see hd_ucg_label */
    struct hd_map triples; /* the same for (pair, stretch of r) */
};

void hd_ucg_labels_fini(struct hd_ucg_labels *l);

/* Forgets all labels when there are more than that. */
void hd_ucg_labels_limit(struct hd_ucg_labels *l, size_t most);

/* The place for the answer of all goals with the label of this one: 0 when it is not known yet.
 * NULL: it has no label. Valid until the next call. */
uint32_t *hd_ucg_label(struct hd_ucg_labels *l, const struct hd_ucg_base *b,
                       const struct hd_goal *goal);

/* For hd_ucg_base_new and _free. */
void hd_ucg_labels_stretches(struct hd_ucg_base *b);
void hd_ucg_labels_stretches_free(struct hd_ucg_base *b);

#endif
