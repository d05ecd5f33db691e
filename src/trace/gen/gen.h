/* Seeded random traces that are consistent by construction.
 *
 * The generator simulates an execution with its own small machine (gen_sim.h) and writes down what
 * happens, so the order is always possible in the sense of docs/MODEL.md section 2. It shares no
 * code with model/, and so each judges the other. The same configuration gives the same trace
 * everywhere.
 *
 * Two styles. `random` draws each event by chance: few locations and locks, overlapping critical
 * sections, recurring values, dependences. It is made for small traces that exercise a predictor.
 * `program` interleaves worker threads that run program-like activities: guarded structures, a
 * queue with a condition variable, a table under a rwlock, barrier phases, private work, branches
 * with dependences. Its only races are the planted ones, `races` pairs of accesses, half of them
 * hidden from happens-before detectors behind an unrelated critical section.
 */
#ifndef HD_TRACE_GEN_GEN_H
#define HD_TRACE_GEN_GEN_H

#include "base/err.h"
#include "base/rng.h"
#include "trace/trace.h"

/* What may occur.  X(NAME, text, what it allows) */
#define HD_GEN_FEATURES(X)                                                                         \
    X(READ, "read", "r")                                                                           \
    X(WRITE, "write", "w")                                                                         \
    X(ATOMIC, "atomic", "ar, aw")                                                                  \
    X(RMW, "rmw", "rmw")                                                                           \
    X(BRANCH, "branch", "br")                                                                      \
    X(DEPS, "deps", "deps= on branches")                                                           \
    X(VAL, "val", "val= on writes")                                                                \
    X(ADDR, "addr", "addr= on accesses")                                                           \
    X(MUTEX, "mutex", "acq, rel")                                                                  \
    X(REENTRANT, "reentrant", "acq of a lock that the thread owns")                                \
    X(RWLOCK, "rwlock", "racq, rrel")                                                              \
    X(TRYFAIL, "tryfail", "tryfail")                                                               \
    X(FORK, "fork", "fork")                                                                        \
    X(JOIN, "join", "join")                                                                        \
    X(COND, "cond", "wait, wake, sig, bcast")                                                      \
    X(TIMEOUT, "timeout", "tmo (needs cond)")                                                      \
    X(SEM, "sem", "post, sem")                                                                     \
    X(BARRIER, "barrier", "barin, barout")                                                         \
    X(BLOCK, "block", "begin, end")                                                                \
    X(OMIT, "omit", "values left out")                                                             \
    X(INIT, "init", "!init directives")                                                            \
    X(SHAPES, "shapes", "rare meetings of the others, on purpose")                                 \
    X(ORDERS, "orders", "mo= on atomics, fence")                                                   \
    X(EXCLUSION, "exclusion", "mo=rlx on mutexes, all uses of one or none")

enum hd_gen_feature {
#define HD_GEN_ENUM(name, text, help) HD_GEN_##name,
    HD_GEN_FEATURES(HD_GEN_ENUM)
#undef HD_GEN_ENUM
        HD_GEN_FEATURE_COUNT
};
#define HD_GEN_ALL ((UINT32_C(1) << HD_GEN_FEATURE_COUNT) - 1)

enum hd_gen_style { HD_GEN_STYLE_RANDOM, HD_GEN_STYLE_PROGRAM };
enum hd_gen_control { HD_GEN_CONTROL_MIXED, HD_GEN_CONTROL_ALL, HD_GEN_CONTROL_BRANCHES };

struct hd_gen_config {
    enum hd_gen_style style;
    enum hd_gen_control control; /* MIXED: the seed decides */
    uint64_t seed;
    uint32_t events;    /* random: exactly, unless everybody is blocked for good; program: about */
    uint32_t threads;   /* 1 .. 4096; program: at least 2, one of them is main */
    uint32_t locations; /* random: at least 1; program: fields of the guarded structures */
    uint32_t locks;     /* random: 0 is fine; program: guarded structures, at least 1 */
    uint32_t values;    /* random: written values are 0 .. values-1 */
    uint32_t races;     /* program: planted races */
    uint32_t features;  /* random: mask of 1 << HD_GEN_x */
};

/* Random style, 3 threads, 40 events, 3 locations, 2 locks, 3 values, every feature but omit,
 * shapes, orders and exclusion. */
void hd_gen_defaults(struct hd_gen_config *config);

/* A varied small configuration: 2..4 threads, 6..25 events, 1..3 locations, 1..3 locks, a random
 * part of the features but orders and exclusion, that always holds reads, writes and mutexes. For
 * tests that run many thousand. */
void hd_gen_small(uint64_t seed, struct hd_gen_config *config);

/* Makes the trace, which the caller frees. HD_ERR_INPUT names the field that is out of range. */
enum hd_status hd_gen(const struct hd_gen_config *config, struct hd_trace **trace,
                      struct hd_err *err);

const char *hd_gen_feature_name(enum hd_gen_feature feature);

#endif
