/* Which locations of a trace does every schedule hand from thread to thread in the same order?
 * docs/algorithms/building.md, "Memory that is handed over"; build/handed_memory.c does the same
 * for the memory of a recording.
 */
#ifndef HD_PREDICT_INDEX_HANDED_H
#define HD_PREDICT_INDEX_HANDED_H

#include "trace/trace.h"

/* Locations from whose values the order is taken: atomic ones, and those that one thread reads
 * under a lock after another has written them under one, without weak accesses. carriers: by
 * location, zeroed. */
void hd_handed_carriers(const struct hd_trace *t, uint8_t *carriers);
/* handed, by location: its accesses may be left out (trace/reduce.h). It is none of the carriers.
 * The trace has to be consistent. */
void hd_handed_find(const struct hd_trace *t, const uint8_t *carriers, uint8_t *handed);

#endif
