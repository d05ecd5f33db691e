/* Makes a witness short: fewest context switches, then fewest events, as far as a quick search finds.
 *
 * First events that nothing in the witness needs are dropped, from the end backwards; then the rest
 * is put into an order that stays with one thread as long as the orders that matter allow.
 * The result is again a witness; the caller has model/ check it like any other.
 */
#ifndef HD_PREDICT_SHORTEN_H
#define HD_PREDICT_SHORTEN_H

#include "base/vec.h"
#include "model/witness.h"
#include "predict/world.h"

struct hd_shortener;

struct hd_shortener *hd_shortener_new(const struct hd_world *w);
void hd_shortener_free(struct hd_shortener *s);

/* Shortens w in place. Requires that it is a witness. */
void hd_shorten(struct hd_shortener *s, struct hd_witness *w);

/* Number of context switches in a schedule. */
size_t hd_shorten_switches(const struct hd_trace *t, const struct hd_witness *w);

#endif
