/* A session: recordings of one program in one folder, what prediction finds in them, replays of
 * that, one report. Does the work and leaves every file in the folder; prints nothing.
 *
 * Recordings come from outside (`heddle explore`), or from hd_session_run, which is `heddle run`:
 * it records several times, with other policies and seeds (session_runs.c). The races of each
 * recording are predicted and replayed at once; a race that an earlier one has confirmed is only
 * counted again. An interrupt ends the stage that is running; what is known by then is reported.
 */
#ifndef HD_SESSION_SESSION_H
#define HD_SESSION_SESSION_H

#include "record/record.h"
#include "predict/run/predict.h"
#include "report/filter/suppress.h"

#define HD_SESSION_STEPS   10000
#define HD_SESSION_QUANTUM 500
/* Replays may take as long as all else, a minute at least; with a budget, what that leaves them. */
#define HD_SESSION_REPLAY_TIME (-1.0)

/* The stages of a session: name, what its words are ("interrupted while ..."), and its unit. */
#define HD_STAGES(X)                                                                               \
    X(STARTING, "starting", "")                                                                    \
    X(RECORDING, "recording", "runs")                                                              \
    X(READING, "reading", "KB")                                                                    \
    X(ANALYSING, "analysing", "groups")                                                            \
    X(REPLAYING, "replaying", "runs")

enum hd_stage {
#define HD_STAGE_ENUM(name, text, unit) HD_STAGE_##name,
    HD_STAGES(HD_STAGE_ENUM)
#undef HD_STAGE_ENUM
};

extern const char *const hd_stage_names[], *const hd_stage_units[];

struct hd_session_options {
    char **argv;     /* program and arguments, ends with NULL */
    const char *dir; /* an empty folder, or that of a session that goes on */
    /* These are for hd_session_run. */
    uint64_t runs;         /* 0: as many as are cheap and show something new */
    int policy;            /* enum hd_policy_kind, or -1: fifo, sync, then pct and random */
    uint64_t seed;         /* of the first run; later ones count up */
    uint64_t quantum;      /* 0: by the length of the first run, at most HD_SESSION_QUANTUM */
    uint32_t depth, steps; /* steps 0: the length of the first run, or HD_SESSION_STEPS */
    uint64_t exit_steps;
    bool keep_all; /* events: see record/record.h */
    /* These are for all. */
    uint32_t times, timeout; /* replays of each order (0: none), seconds for each */
    double replay_time;      /* seconds for all replays; 0: no end; HD_SESSION_REPLAY_TIME */
    bool confirmed_only;     /* what is only predicted is no error */
    bool allow_undecided;    /* nor is what is left undecided */
    double budget; /* seconds for all that is done with a run, which is ended after half of
                      them; 0: no end */
    uint32_t record_timeout; /* seconds for a recorded run; 0: no end */
    uint64_t max_size;       /* bytes of a recording; 0: no end */
    unsigned properties;     /* set of 1 << enum hd_property: what is looked for */
    struct hd_predict_options predict;
    struct hd_suppressions *suppressions; /* may be NULL */
    const struct hd_report *baseline;     /* may be NULL */
    const char *baseline_name;            /* its file */
    /* Called when a stage begins and as it goes on; may be NULL. */
    void (*progress)(void *ctx, enum hd_stage stage, uint64_t done, uint64_t total);
    void *progress_ctx;
    void (*say)(void *ctx, const char *line); /* the program makes no progress; may be NULL */
};

struct hd_session_result {
    struct hd_report *report; /* NULL when nothing could be recorded */
    bool late;                /* the time for reading and analysis was used up */
    bool failed;              /* a replay or a later recording could not be made */
    int ended_by;             /* SIGINT or SIGTERM that ended the work; 0: none */
    bool cut_recording;       /* it ended a recording, and the work on what there is went on */
    int wait_status;          /* of the first recorded run */
    bool ran;                 /* wait_status means something */
};

struct hd_session;

/* `earlier` is the report of a session that goes on, and belongs to the new one from now on; or
 * NULL. The options must outlive it. hd_session_free in any case. */
struct hd_session *hd_session_new(const struct hd_session_options *options,
                                  struct hd_report *earlier);
void hd_session_free(struct hd_session *s); /* NULL is fine */
/* Name of the n-th recording of a session, from 1. */
void hd_session_name(uint64_t number, char *name, size_t size);
/* How a run of the program ended, as waitpid gives it; the first one counts. */
void hd_session_ended(struct hd_session *s, int wait_status);
/* What a search found in a recording. If the run itself deadlocked, the witness shows how to
 * get there. A failure that no replay confirms is observed all the same. */
struct hd_session_known {
    const struct hd_witness *witness; /* NULL: the run failed, and is its own witness */
    const char *assertion;            /* of a failure: what the run said; NULL or "": nothing */
    int signal;                       /* of a failure: what killed the run, or 0 */
};

/* Predicts on the recording with this name in the folder, replays, keeps the findings. known may be
 * NULL. HD_ERR_INPUT: the recording is refused; HD_ERR_IO: a file cannot be written;
 * HD_ERR_INTERNAL: the analysis contradicts itself. */
enum hd_status hd_session_take(struct hd_session *s, const char *name,
                               const struct hd_session_known *known, struct hd_err *err);
size_t hd_session_findings(const struct hd_session *s); /* so far, not yet merged */
/* Writes the report into the folder. hd_session_result_fini in every case. */
enum hd_status hd_session_finish(struct hd_session *s, struct hd_session_result *result,
                                 struct hd_err *err);

/* All of it, with runs that it records itself. HD_OK when there is a report, also an interrupted
 * one. HD_ERR_INPUT: the program cannot be run or is not instrumented, or its trace is refused;
 * the rest as above. */
enum hd_status hd_session_run(const struct hd_session_options *options,
                              struct hd_session_result *result, struct hd_err *err);
/* The same for a trace that is there already, which is not replayed (times 0). argv names it. */
enum hd_status hd_session_trace(const struct hd_session_options *options, const char *trace,
                                struct hd_session_result *result, struct hd_err *err);
void hd_session_result_fini(struct hd_session_result *result);

#endif
