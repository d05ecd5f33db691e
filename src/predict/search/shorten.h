/* Makes a witness short: fewest context switches, then fewest events, as far as a quick search
 * finds.
 *
 * First the events that nothing needs are dropped: a plan is grown again from what every witness
 * must contain, and wherever its simulation fails it is mended as the given witness has it. Then
 * the rest is put into an order that stays with one thread as long as possible (resequence.h). The
 * result is meant to be a witness; the caller has model/ judge it and keeps the old one if not.
 */
#ifndef HD_PREDICT_SEARCH_SHORTEN_H
#define HD_PREDICT_SEARCH_SHORTEN_H

#include "model/witness.h"
#include "predict/search/sim.h"

struct hd_shortener;

/* Uses the simulator of its worker. */
struct hd_shortener *hd_shortener_new(const struct hd_world *w, struct hd_sim *sim);
void hd_shortener_free(struct hd_shortener *s);

/* What shortening one witness may cost, in simulated events, when there are few of them. */
#define HD_SHORTEN_STEPS 2000000

/* Puts a version of `w`, a witness of the goal, that is as short or shorter into `out`, in its long
 * form; the caller then owns it. False: all of `w` is needed, as far as is known, and that is more
 * than `steps` events, too many to look for another order of them. matching: of the trace. */
bool hd_shorten(struct hd_shortener *s, const struct hd_goal *goal, const struct hd_witness *w,
                const struct hd_matching *matching, uint64_t steps, struct hd_witness *out);

/* Number of context switches in a schedule. */
size_t hd_shorten_switches(const struct hd_trace *t, const hd_eid *schedule, size_t n);

#endif
