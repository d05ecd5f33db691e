/* Runs the program again under the schedule of a witness, and returns what happened.
 *
 * Each order of the two accesses is an execution of its own, from the start. It follows the
 * schedule until both threads stand before their accesses; the race is CONFIRMED when these then
 * touch overlapping bytes and at least one of them writes. The program goes on from there under
 * policy fifo to its end. A witness of another property has one order, `first`: an atomicity
 * violation is confirmed when its whole schedule ran, a deadlock when the program then hangs, a
 * failure when it crashes, fails an assertion or hangs.
 *
 * At the first event that is not the expected one the run is stopped and nothing is confirmed.
 *
 * The program gets the arguments, environment, working directory, standard input and start time of
 * the recorded run as far as the trace holds them, and address randomisation is off. What it writes
 * is kept, not shown, unless asked for. What cannot be given back is said in `notes`.
 */
#ifndef HD_REPLAY_REPLAY_H
#define HD_REPLAY_REPLAY_H

#include "base/err.h"
#include "base/vec.h"
#include "model/witness.h"
#include "recording/remarks.h"

struct hd_stacks;

enum { HD_REPLAY_FIRST = 1, HD_REPLAY_SECOND = 2 };

struct hd_replay_options {
    const struct hd_trace *trace; /* read from a .hdt file that heddle record wrote */
    const struct hd_witness *witness;
    char **argv;     /* the program and its arguments; NULL: those of the recorded run */
    const char *dir; /* for files while the program runs; NULL: the system's place for them */
    unsigned orders; /* HD_REPLAY_*, at least one */
    uint32_t times;  /* how often each, at least 1 */
    double patience; /* not again after an execution of more than so many seconds; 0: always */
    double timeout;  /* seconds for each execution; 0: no limit */
    bool holds; /* a race: the other access of the order waits while all other threads run on, to
                 * see with which of their accesses it races, too (`met`) */
    bool show;  /* let the program's output through as well */
    const char *gdb;    /* not NULL: run it once, first order, under a debugger; this is the file
                         * of gdb commands to load */
    const char *core;   /* with gdb: write a core file there and end; may be NULL */
    uint32_t gdbserver; /* not 0: the same, under gdbserver at this port */
    struct hd_stacks *stacks; /* not NULL: run it once, only to fill this; see stacks.h */
};

struct hd_replay_frame {
    char *function; /* NULL: not known */
    char *file;     /* as the compiler was given it; NULL: not known */
    uint32_t line;
    char *module; /* file name of the module; NULL: none */
    uint64_t offset;
};

struct hd_replay_stack {
    struct hd_replay_frame *frames; /* innermost first, without those of the runtime */
    size_t n;
};

/* One of the two accesses in one execution. */
struct hd_replay_access {
    char *thread;          /* "T1.2"; NULL: not reached */
    const char *kind;      /* read, write, atomic read, atomic write, atomic update, free */
    bool writes, happened; /* it ran: value is known */
    bool atomic;           /* known once it ran */
    bool fixed;            /* what it touches was decided when its thread stood before it */
    uint64_t address, size;
    uint64_t byte; /* address, or what stands for it in shared memory with several addresses */
    char *value;   /* "5", "5 -> 6", or bytes in hexadecimal; NULL: not known */
    struct hd_replay_stack stack;
};

enum hd_replay_verdict {
    HD_REPLAY_CONFIRMED,
    HD_REPLAY_DIVERGED,   /* something else came; `reason` names it and the place */
    HD_REPLAY_CHANGED,    /* the program or a library is not the recorded one */
    HD_REPLAY_IMPOSSIBLE, /* the witness cannot be made a schedule of the program */
    HD_REPLAY_APART,      /* both stood there, but the bytes do not overlap or neither writes */
    HD_REPLAY_TIMEOUT,    /* the time ran out before both stood there */
    HD_REPLAY_OUTSIDE,    /* an access was made by code that is not seen: no schedule has it */
};
extern const char *const hd_replay_verdict_names[]; /* "confirmed", ... */

/* What one order did. */
struct hd_replay_order {
    bool ran;
    enum hd_replay_verdict verdict;
    struct hd_replay_access access[2]; /* of the witness's a and b, whatever the order */
    char *summary;                     /* "exit 0", "killed by SIGSEGV", "deadlock", ... */
    int exit_status;                   /* -1: it did not exit */
    int signal;                        /* 0: none */
    bool deadlock, timeout;
    bool waits; /* it was ended: all that the recorded clients did was done, and it waited for more
                 */
    char *assertion; /* "file.c:12: main: Assertion `x' failed."; NULL: none */
    struct hd_replay_stack crash;
    struct hd_remarks waiting; /* DEADLOCK: which thread waits for what */
    char *out, *err;           /* what it wrote, the first HD_REPLAY_KEPT bytes; never NULL */
    size_t out_len, err_len;   /* of what is kept */
    uint64_t out_total, err_total;
    char *steady[2]; /* the lines of out and err that each repetition wrote; NULL: all of them */
    size_t steady_len[2];
    char digest[40]; /* of the trace of the whole execution; "": not needed, see hd_replay_equal */
};
#define HD_REPLAY_KEPT (1u << 20)

struct hd_replay_result {
    enum hd_replay_verdict verdict;
    char reason[1024];         /* unless confirmed: a sentence */
    uint64_t entry, entries;   /* DIVERGED: entries of the schedule that went well, of all */
    hd_eid event;              /* DIVERGED: the event of the trace that was expected, or none */
    uint32_t tried, confirmed; /* executions */
    bool same;                 /* all repetitions of an order gave equal results and traces */
    struct hd_replay_order orders[2]; /* the last execution of each */
    char *output_diff;     /* between the orders, of steady lines, with - and +; NULL: none */
    struct hd_names notes; /* sentences */
    /* With `holds`, when confirmed: struct hd_origin, an access of another thread that the one that
     * waited raced with. */
    struct hd_vec met;
};

/* HD_OK when a verdict was reached, whichever. HD_ERR_INPUT: the trace or the program cannot be
 * used; HD_ERR_IO; HD_ERR_STOPPED: interrupted. hd_replay_result_fini in every case. */
enum hd_status hd_replay_run(const struct hd_replay_options *opts, struct hd_replay_result *result,
                             struct hd_err *err);
void hd_replay_result_fini(struct hd_replay_result *result);

#endif
