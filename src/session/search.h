/* A search over schedules as a session: runs a strategy of explore/, hands what it brings to
 * prediction and replay, leaves a report and the state of the search in the folder. Prints nothing.
 */
#ifndef HD_SESSION_SEARCH_H
#define HD_SESSION_SEARCH_H

#include "session/session.h"
#include "explore/schedule_share.h"
#include "explore/search_state.h"

/* X(KIND, name), with `sep` between the rows. */
#define HD_SEARCH_TABLE(X, sep)                                                                    \
    X(GUIDED, "guided") sep X(DPOR, "dpor") sep X(PCT, "pct") sep X(RANDOM, "random")

enum hd_search_strategy {
#define HD_SEARCH_KIND(kind, name) HD_SEARCH_##kind,
    HD_SEARCH_TABLE(HD_SEARCH_KIND, )
#undef HD_SEARCH_KIND
};
#define HD_SEARCH_NAME(kind, name) name
#define HD_SEARCH_STRATEGIES       HD_SEARCH_TABLE(HD_SEARCH_NAME, "|")

struct hd_search_progress {
    uint64_t executions;
    uint64_t states;   /* different ones: behaviours of pct and random, else nodes of the search */
    uint64_t frontier; /* choices that are still to be tried */
};

struct hd_search_options {
    struct hd_session_options session; /* argv and dir, which is absolute, are in there */
    enum hd_search_strategy strategy;
    const char *input; /* file for the standard input, or NULL */
    uint64_t runs;     /* executions of this part of the search; 0: no limit */
    uint64_t samples;  /* runs of pct where guided goes on with it; 0: no limit */
    double seconds, timeout;
    unsigned jobs;
    bool first;                     /* stop at the first finding that is an error */
    bool on;                        /* guided: a finding does not end the search after it */
    uint32_t preemptions;           /* guided */
    struct hd_schedule_share share; /* dpor, guided */
    int aim;                        /* guided: enum hd_aim */
    /* Called after each execution; may be NULL. */
    void (*progress)(void *ctx, const struct hd_search_progress *p);
    void *ctx;
};

struct hd_search_result {
    struct hd_session_result session;
    struct hd_search_progress p;
    bool complete;  /* the strategy has nothing left to do */
    bool exhausted; /* every schedule of the program with this input was run */
};

/* Goes on from *state, which is saved in the end. `earlier` is as for hd_session_new. HD_OK when
 * there is a report; errors as those of hd_session_run. hd_session_result_fini of result->session
 * in every case. */
enum hd_status hd_search(const struct hd_search_options *o, struct hd_search_state *state,
                         struct hd_report *earlier, struct hd_search_result *result,
                         struct hd_err *err);

#endif
