/* Is the observed order of a trace possible? (docs/MODEL.md section 2: "A trace is consistent if
 * ...")
 *
 * It is when, for some choice of notified waiters (matching.h), every event is enabled when its
 * turn comes and no read is stale: each returns what memory holds.
 */
#ifndef HD_MODEL_CHECK_H
#define HD_MODEL_CHECK_H

#include "base/err.h"
#include "model/matching.h"

/* HD_OK, or HD_ERR_INPUT with the event that ends the shortest impossible prefix in *bad (may be
 * NULL; HD_EID_NONE when consistent) and a sentence with its 1-based number in err. */
enum hd_status hd_check_trace(const struct hd_trace *t, hd_eid *bad, struct hd_err *err);

#endif
