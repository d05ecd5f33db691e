/* What heddle hunt finds, as a session: replayed with its input, with stacks, in the reports that
 * heddle run writes too. Prints nothing.
 */
#ifndef HD_SESSION_HUNT_SESSION_H
#define HD_SESSION_HUNT_SESSION_H

#include "session/session.h"
#include "concolic/input_search.h"

struct hd_hunt_session {
    struct hd_session_options o;
    struct hd_session *s;
};

/* What became of one finding. */
struct hd_hunt_taken {
    char id[48]; /* "": it is in no report (a hang, want of memory, a trace that is refused) */
    const char *proof;         /* "confirmed", "predicted", "observed"; NULL like id */
    uint32_t confirmed, tried; /* replays */
    char reason[256];          /* when not confirmed: why; or "" */
};

/* argv and dir must outlive it. */
void hd_hunt_session_begin(struct hd_hunt_session *h, char **argv, const char *dir, uint32_t times,
                           uint32_t timeout);
void hd_hunt_session_take(struct hd_hunt_session *h, const struct hd_found *f,
                          struct hd_hunt_taken *taken);
/* Writes the report into the folder; hd_session_result_fini in every case. */
enum hd_status hd_hunt_session_finish(struct hd_hunt_session *h, const struct hd_hunt_stats *stats,
                                      struct hd_session_result *result, struct hd_err *err);
void hd_hunt_session_end(struct hd_hunt_session *h);

#endif
