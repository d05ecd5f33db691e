/* Tokens: values that are in one place at a time, as the blocks of a memory pool, the items of a
 * queue, a mark "busy" under a mutex.
 *
 * A thread takes a block from a free list under a lock, uses it without the lock, and puts it back.
 * That no other thread uses the block meanwhile follows from where its address is: under the lock
 * it is read and overwritten (the thread has it now), moved from one location to another, or
 * written by the thread that has it. Nothing is known about names and shapes: a value is a token if
 * every section of the lock keeps it in one place, whatever the order of the sections
 * (docs/algorithms/prediction.md has the conditions and the argument). From where a thread has it
 * to where it gives it back is a section of a guard (guards.h).
 */
#ifndef HD_PREDICT_INDEX_TOKENS_H
#define HD_PREDICT_INDEX_TOKENS_H

#include "predict/index/guards_int.h"

/* Adds the sections of all tokens to s->out. `sections`: those of the trace's locks. */
void hd_tokens_find(struct hd_guard_search *s, const struct hd_sections *sections);

#endif
