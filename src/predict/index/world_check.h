/* Debug builds hold the indices of a world against the observed trace, which is itself one of the
 * schedules that they speak about: what is said of all schedules has to be true of this one.
 */
#ifndef HD_PREDICT_INDEX_WORLD_CHECK_H
#define HD_PREDICT_INDEX_WORLD_CHECK_H

#include "predict/index/world.h"

#ifdef HD_DEBUG
/* Requires that no scope was stopped while the world was made. Does not return when a rule is
 * broken. */
void hd_world_check(const struct hd_world *w);
#endif

#endif
