/* Proofs for rv, by what max knows.
 *
 * Let a and b be a race of rv, of threads u and v. The events before them in its order are a
 * schedule of docs/MODEL.md in which both are enabled, if only the branches of u and v need their
 * reads: those before a and b guard them. So what filters and closure of max find impossible in
 * that frame is no race of rv. One frame serves all pairs of two threads.
 */
#ifndef HD_PREDICT_COMPARE_PUBLISHED_FRAME_H
#define HD_PREDICT_COMPARE_PUBLISHED_FRAME_H

#include "predict/index/protocol.h"
#include "predict/search/closure.h"

struct hd_published_frames;

/* t: the trace as given. NULL when it is too long, or has too many threads. */
struct hd_published_frames *hd_published_frames_new(const struct hd_trace *t,
                                                    const struct hd_matching *matching);
void hd_published_frames_free(struct hd_published_frames *f); /* NULL is fine */

/* True: the two are no race of rv. By locks and must-orders; by protocols, for what these leave;
 * by closure. */
bool hd_published_frames_ordered(struct hd_published_frames *f, hd_eid a, hd_eid b);
bool hd_published_frames_keep_apart(struct hd_published_frames *f, hd_eid a, hd_eid b);
bool hd_published_frames_exclude(struct hd_published_frames *f, hd_eid a, hd_eid b,
                                 double deadline);

#endif
