/* The SMT step: exact for docs/MODEL.md.
 *
 * The cone of a goal is every event that can matter for a witness of it: what must run, and what
 * may help (sources of reads, releases, notifiers, posts, arrivals), closed under program order.
 * For each event of the cone there is an inclusion flag and an order variable, so that threads may
 * stop anywhere and locks may stay held. One solver serves many pairs; what depends on the pair is
 * switched by an assumption. What it has learned from one pair can change the model of the next, so
 * the user starts it afresh where the answer must not depend on what was asked before.
 */
#ifndef HD_PREDICT_SMT_ENCODE_H
#define HD_PREDICT_SMT_ENCODE_H

#include "base/vec.h"
#include "predict/search/closure.h"
#include "predict/search/goal.h"
#include "predict/index/world.h"
#include "solve/solve.h"

struct hd_encoder;

struct hd_encoder *hd_encoder_new(const struct hd_world *w, struct hd_solver_limits limits);
void hd_encoder_free(struct hd_encoder *e);

void hd_encoder_reset(struct hd_encoder *e); /* as if new; NULL is fine */

/* Orders that follow from the goal (struct hd_ucg_order), for the goals to come: given to the
 * solver so that it need not find them. NULL: none. */
void hd_encoder_hints(struct hd_encoder *e, const struct hd_vec *orders);

/* Decides a goal within `seconds` (0 = no limit). After RACE `order` holds the events of a witness
 * up to the state that the goal describes. After UNKNOWN hd_encoder_lost returns why. */
enum hd_verdict hd_encoder_decide(struct hd_encoder *e, const struct hd_goal *goal, double seconds,
                                  struct hd_u32vec *order);
enum hd_lost hd_encoder_lost(const struct hd_encoder *e);

#endif
