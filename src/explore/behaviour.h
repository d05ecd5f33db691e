/* What a run did, as one number: runs with equal numbers are taken for the same behaviour.
 *
 * It covers, by thread, the places and kinds of its events in order, which tells the outcomes of
 * its branches; and, by object, the order in which threads took locks, passed semaphores, woke up
 * and used atomics. It leaves out the order of plain accesses, which prediction varies anyway, and
 * all values. Objects and threads count by name, so numbers of different runs can be compared, also
 * across processes and files.
 */
#ifndef HD_EXPLORE_BEHAVIOUR_H
#define HD_EXPLORE_BEHAVIOUR_H

#include "base/hash.h"
#include "base/vec.h"
#include "trace/trace.h"

uint64_t hd_behaviour(const struct hd_trace *t);
/* Of a recording in a file; 0 when it cannot be read. */
uint64_t hd_behaviour_of_file(const char *path);

/* A set of them, in the order in which they came up. */
struct hd_behaviours {
    struct hd_map map;
    struct hd_vec list; /* uint64_t */
};
void hd_behaviours_init(struct hd_behaviours *b);
void hd_behaviours_fini(struct hd_behaviours *b);
bool hd_behaviours_add(struct hd_behaviours *b, uint64_t number); /* true: it was not there */

#endif
