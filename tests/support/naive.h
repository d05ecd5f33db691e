/* A second reading of docs/MODEL.md section 2, to test src/model/ against: tiny traces, no state at
 * all. Whatever a rule needs to know is found by looking through the events that have run so far.
 * Shares no code with src/model/, and its traces are plain arrays with their own dependence sets.
 * Also here: seeded random traces in this form, and their way into a struct hd_trace.
 */
#ifndef TESTS_NAIVE_H
#define TESTS_NAIVE_H

#include "trace/builder.h"

enum { NV_MAX = 24, NV_THREADS = 5, NV_OBJS = 4, NV_PAIRS = NV_MAX * NV_MAX };
#define NV_UNKNOWN UINT64_MAX

struct nv_event {
    enum hd_op op;
    int thread, obj, lock;
    bool has_value;
    uint64_t value, new_value; /* settled by nv_settle when not given */
    bool deps_given, addr_given;
    uint32_t deps, addr; /* bit i: event i */
    enum hd_mem_order order;
};

struct nv_trace {
    struct nv_event ev[NV_MAX];
    int n, threads;
    bool control_all;
    bool init_given[NV_OBJS];
    uint64_t init[NV_OBJS], sem[NV_OBJS], barrier[NV_OBJS];
};

struct nv_run {
    int n, event[NV_MAX], woken[NV_MAX]; /* woken: thread, or -1 */
};

/* Random numbers: a 64-bit linear congruential step, upper bits. */
struct nv_random {
    uint64_t state;
};

struct nv_shape {
    int events, threads, objs;
    const uint8_t *ops; /* what to draw from; an op may stand there several times */
    int n_ops;
    bool own_locks; /* wait uses the lock with the thread's number */
    int wild;       /* one event in so many is taken even if it is impossible; 0: none */
    bool orders;    /* atomics and fences have any order that fits, locks may order nothing */
};

/* From 0 to below - 1. */
int nv_pick(struct nv_random *rnd, int below);

/* A trace that is consistent when shape->wild is 0. */
void nv_random_trace(struct nv_random *rnd, const struct nv_shape *shape, struct nv_trace *t);

/* Every way to go on from r, by recursion; race[a][b] with a < b collects the pairs. */
void nv_explore(const struct nv_trace *t, struct nv_run *r, bool race[NV_MAX][NV_MAX]);

struct nv_pairs {
    bool race[NV_MAX][NV_MAX]; /* [a][b] with a < b */
};

/* The pairs of the published models (docs/algorithms/published-models.md), by writing out every
 * complete order and evaluating the published formulas on it. woken[i] is the thread that sig i
 * woke in the trace, or -1. */
void nv_published(const struct nv_trace *t, const int *woken, struct nv_pairs *said,
                  struct nv_pairs *rv);

struct nv_orders {
    bool unordered[NV_MAX][NV_MAX], alone[NV_MAX][NV_MAX]; /* [a][b] with a < b */
};

/* The unordered pairs of docs/MODEL.md section 8, and those of them that stand alone. */
void nv_unordered(const struct nv_trace *t, struct nv_orders *result);

/* How many events can run in the observed order, every read returning what memory holds, for the
 * best choice of waiters, after r. t->n: the trace is consistent. */
int nv_furthest(const struct nv_trace *t, struct nv_run *r);

/* The same trace for the code under test, or NULL with err set. */
struct hd_trace *nv_build(const struct nv_trace *t, struct hd_err *err);

void nv_print(const struct nv_trace *t); /* to stderr, for a failing test */

#endif
