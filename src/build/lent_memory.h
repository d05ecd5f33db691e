/* Memory of a thread's own stack that others use now and then, and the stretches in between:
 * docs/algorithms/building.md, "Memory that is lent". */
#ifndef HD_BUILD_LENT_MEMORY_H
#define HD_BUILD_LENT_MEMORY_H

#include "build/walk_state.h"
#include "predict/index/handover.h"

struct hd_walk_lent *hd_lent_memory_new(void);
void hd_lent_memory_free(struct hd_walk_lent *l);

/* While the skeleton is made: */
void hd_lent_memory_restart(struct hd_walk *w); /* the walk starts again */
/* The current thread made this step; it had so many events before it. */
void hd_lent_memory_use(struct hd_walk *w, const struct hd_raw *rec, uint32_t before);
/* It did something else with the byte at addr. */
void hd_lent_memory_other(struct hd_walk *w, uint64_t addr, uint32_t before);

/* When all that is handed over is known: finds the stretches. How many there are. */
size_t hd_lent_memory_find(struct hd_walk *w, const struct hd_handover *order);

/* In the walks after that: */
void hd_lent_memory_start(struct hd_walk *w); /* a walk starts */
/* The current thread comes to a step at which memory begins or ceases to be its own. */
void hd_lent_memory_turn(struct hd_walk *w);

/* Does it? To be asked before each of its steps. */
static inline bool hd_walk_lent_turns(const struct hd_walk_thread *t)
{
    return t->steps + 1 >= t->turn_at;
}

#endif
