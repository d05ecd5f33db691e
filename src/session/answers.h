/* What a trace shows of the warnings of another tool: a race, impossible in every schedule of these
 * events, undecided, or not in this trace. One answer for each pair of places, with its reason.
 */
#ifndef HD_SESSION_ANSWERS_H
#define HD_SESSION_ANSWERS_H

#include "report/filter/warnings_read.h"
#include "session/analysis.h"

#define HD_ANSWERS(X)                                                                              \
    X(RACE, "race")                                                                                \
    X(IMPOSSIBLE, "impossible")                                                                    \
    X(UNDECIDED, "undecided")                                                                      \
    X(ABSENT, "not in this trace")                                                                 \
    X(UNREADABLE, "not answered")

enum hd_answer_kind {
#define HD_ANSWER_ENUM(name, text) HD_ANSWER_##name,
    HD_ANSWERS(HD_ANSWER_ENUM)
#undef HD_ANSWER_ENUM
};

extern const char *const hd_answer_names[];

struct hd_answer {
    enum hd_answer_kind kind;
    hd_eid a, b; /* race, undecided, impossible: events of the two places */
    char reason[300];
};

/* Whether something about the pair stays open. */
bool hd_answer_is_open(const struct hd_answer *answer);

/* `max` is the result of that detector for t under `options`. Pushes a struct hd_answer for each
 * pair, in their order. Fails as hd_analysis_run does. */
enum hd_status hd_answers_make(const struct hd_trace *t, const struct hd_analysis *max,
                               const struct hd_analysis_options *options,
                               const struct hd_warned_pairs *pairs, struct hd_vec *answers,
                               struct hd_err *err);

#endif
