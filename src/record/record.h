/* Runs a program once under a policy and keeps a recording of it (recfile.h).
 *
 * The program gets our standard input, output and error, our environment and working directory. Its
 * way to end is in wait_status, as waitpid gives it. Signals that ask us to stop are passed on to
 * it; what it did until then is kept. The recording grows under a temporary name while the program
 * runs. If the disk fills up, what fits is kept.
 */
#ifndef HD_RECORD_RECORD_H
#define HD_RECORD_RECORD_H

#include "base/err.h"
#include "build/build.h"
#include "log/rt_log.h"

extern const char *const hd_policy_names[]; /* by enum hd_policy_kind */

struct hd_record_opts {
    const char *out; /* path of the trace */
    char **argv;     /* program and arguments, ends with NULL */
    enum hd_policy_kind policy;
    uint64_t seed;
    uint64_t quantum;      /* random; at least 1 */
    uint32_t depth, steps; /* pct; at least 1 */
    uint64_t exit_steps;   /* of threads that can still run when the process ends */
    uint64_t limit;        /* keep this many events; 0: all */
    uint64_t max_size;     /* stop recording at about this many bytes; 0: never */
    bool keep_all;         /* who reads it makes events of all accesses: see build.h */
    double timeout;        /* seconds until the program is ended; 0: never */
    /* Not NULL: the paths of recordings of other processes of the program are added. NULL: what
     * they hold is told in the notes of the result. */
    struct hd_names *family;
    /* One more recording of a program that has run before our user's eyes: these are its standard
     * descriptors, and a signal that asks us to stop ends it at once. NULL: ours, and signals are
     * the program's. */
    const int *fds;
    double share;                             /* with fds: seconds until it is killed */
    void (*say)(void *ctx, const char *line); /* it makes no progress (stall.h); may be NULL */
    void *say_ctx;
    const struct hd_build_watch *watch; /* when the log is read back; may be NULL */
};

/* What recordings stop at unless asked otherwise: some 400 million events. A program that spins
 * would fill the disk. */
#define HD_RECORD_MAX_SIZE UINT64_C(2000000000)

/* The same for threads that run on when the process ends: a hundredth of a second. */
#define HD_RECORD_EXIT_STEPS UINT64_C(50000)

struct hd_record_result {
    int wait_status;
    bool ran;       /* wait_status means something */
    bool timed_out; /* it was ended because its time was over */
    int ended_by;   /* SIGINT or SIGTERM that came to us ended it; 0: none */
    int told;       /* the same, whatever the program did then */
    /* What it had from outside: it read its standard input or asked for it; connections, data or
     * signals came. */
    bool read_input, had_clients, had_signals;
    struct hd_omp_needs omp;
    bool random_addresses; /* the kernel would not switch address randomisation off */
    uint64_t events;       /* that the threads had; a trace may have some more */
    bool more;             /* not all were counted */
    uint64_t threads, bytes;
    struct hd_build_info info;
};

/* HD_ERR_INPUT: the program cannot be run or is not instrumented; HD_ERR_IO: the trace cannot be
 * written. The result is filled as far as things went. hd_record_result_fini afterwards always. */
enum hd_status hd_record_run(const struct hd_record_opts *opts, struct hd_record_result *result,
                             struct hd_err *err);
void hd_record_result_fini(struct hd_record_result *result);

#endif
