/* Where two threads can stand at once: for every two threads, pairs of positions, a bit each. */
#ifndef HD_PREDICT_SEARCH_MEETINGS_H
#define HD_PREDICT_SEARCH_MEETINGS_H

#include "predict/index/world.h"

struct hd_meetings;

/* Of the events before `to`. None is known yet. NULL: it would take too much memory. */
struct hd_meetings *hd_meetings_new(const struct hd_world *w, hd_eid to);
void hd_meetings_free(struct hd_meetings *m); /* NULL is fine */

/* pos: by thread, how many of its events have run. All threads stand so at once. */
void hd_meetings_add(struct hd_meetings *m, const uint32_t *pos);
/* The two events, of different threads, are the next of their threads at once. */
bool hd_meetings_have(const struct hd_meetings *m, hd_eid a, hd_eid b);

#endif
