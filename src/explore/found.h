/* What a search returns: an execution in which something was found, as a recording. */
#ifndef HD_EXPLORE_FOUND_H
#define HD_EXPLORE_FOUND_H

#include "base/err.h"

#include <stdbool.h>

struct hd_trace;
struct hd_witness;

struct hd_explored {
    const char *kind;                 /* "race", "deadlock", "assertion", "crash", "hang" */
    const char *path;                 /* of the recording; the caller may remove it */
    const char *text;                 /* of a failed assertion; or "" */
    int signal;                       /* of a crash, or 0 */
    const struct hd_witness *witness; /* over the recording; NULL: it is only worth predicting on */
};

/* Takes one. *led: whether there is really something in the recording, new or not. */
struct hd_explored_taker {
    enum hd_status (*take)(void *ctx, const struct hd_explored *e, bool *led, struct hd_err *err);
    /* The program could not be brought to it again: why. */
    void (*lost)(void *ctx, const char *kind, const char *why);
    void *ctx;
};

/* A witness of a failure over a recorded run that ended in one: the whole run. HD_ERR_LIMIT: it
 * gives none. hd_witness_fini in any case. */
enum hd_status hd_explored_failure(const struct hd_trace *t, struct hd_witness *w,
                                   struct hd_err *err);

#endif
