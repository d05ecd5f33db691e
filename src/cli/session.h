/* One session of `heddle run`: record, analyse, replay, report. Does the work and leaves every file
 * in one folder; prints nothing.
 *
 * Recording is repeated with other policies and seeds when asked for. The races of each run are
 * predicted and replayed at once; a race that an earlier run has confirmed is only counted again.
 * An interrupt ends the stage that is running; what is known by then is reported.
 */
#ifndef HD_CLI_SESSION_H
#define HD_CLI_SESSION_H

#include "drive/record.h"
#include "predict/predict.h"
#include "report/suppress.h"

struct hd_session_options {
    char **argv;     /* program and arguments, ends with NULL */
    const char *dir; /* an empty folder */
    uint64_t runs;   /* at least 1 */
    int policy;      /* enum hd_policy_kind, or -1: fifo first, then random and pct in turn */
    uint64_t seed;   /* of the first run; later ones count up */
    uint64_t quantum;
    uint32_t depth, steps;
    uint32_t times, timeout; /* replays of each order (0: none), seconds for each */
    unsigned properties;     /* set of 1 << enum hd_property: what is looked for */
    struct hd_predict_options predict;
    struct hd_suppressions *suppressions; /* may be NULL */
    const struct hd_report *baseline;     /* may be NULL */
    const char *baseline_name;            /* its file */
    const char *version;
    /* Called when a stage begins ("recording", "analysing", "replaying") and as it goes on; may be
     * NULL. */
    void (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
    void *progress_ctx;
};

struct hd_session_result {
    struct hd_report *report; /* NULL when nothing could be recorded */
    int wait_status;          /* of the first recorded run */
    bool ran;                 /* wait_status means something */
};

/* HD_OK when there is a report, also an interrupted one. HD_ERR_INPUT: the program cannot be run or
 * is not instrumented, or its trace is refused; HD_ERR_IO: a file cannot be written;
 * HD_ERR_INTERNAL: the analysis contradicts itself. hd_session_result_fini in every case. */
enum hd_status hd_session_run(const struct hd_session_options *options,
                              struct hd_session_result *result, struct hd_err *err);
void hd_session_result_fini(struct hd_session_result *result);

#endif
