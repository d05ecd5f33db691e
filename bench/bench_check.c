/* Speed of hd_check_trace, and of a reused witness checker. bench/README.md says what is measured.
 * Usage: bench_check [events, default 5000000] */
#include "base/alloc.h"
#include "model/check.h"
#include "model/witness.h"
#include "trace/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 16, LOCKS = 64, LOCS = 100000, CONDS = 4 };

struct gen {
    struct hd_builder *b;
    struct hd_err err;
    uint64_t seed;
    int step[THREADS]; /* 0: outside; else accesses left in the critical section, plus 1 */
    uint32_t held[THREADS];
    bool taken[LOCKS];
};

static uint32_t pick(struct gen *g, uint32_t below)
{
    g->seed = g->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(g->seed >> 33) % below;
}

static void add(struct gen *g, enum hd_op op, hd_tid u, uint32_t obj, uint32_t lock)
{
    struct hd_event e = {.op = op, .thread = u, .obj = obj, .lock = lock};
    e.has_value = op == HD_OP_WRITE;
    e.value = pick(g, 100);
    if (hd_builder_add(g->b, &e, &g->err) != HD_OK) {
        fprintf(stderr, "%s\n", g->err.text);
        exit(1);
    }
}

/* A wait, and its sig by the next thread, at once: the lock is free in between. */
static void wait_and_wake(struct gen *g, hd_tid u)
{
    uint32_t c = pick(g, CONDS);
    add(g, HD_OP_WAIT, u, c, g->held[u]);
    add(g, HD_OP_SIG, (u + 1) % THREADS, c, 0);
    add(g, HD_OP_WAKE, u, c, g->held[u]);
}

static void turn(struct gen *g, hd_tid u)
{
    if (!g->step[u]) {
        uint32_t l = pick(g, LOCKS);
        if (g->taken[l])
            return;
        g->taken[l] = true;
        g->held[u] = l;
        g->step[u] = 2 + (int)pick(g, 8);
        add(g, HD_OP_ACQ, u, l, 0);
    } else if (g->step[u] == 1) {
        add(g, HD_OP_REL, u, g->held[u], 0);
        g->taken[g->held[u]] = false;
        g->step[u] = 0;
        add(g, HD_OP_BRANCH, u, 0, 0);
    } else {
        uint32_t x = pick(g, 4) ? pick(g, 1000) : pick(g, LOCS);
        g->step[u]--;
        add(g, pick(g, 3) ? HD_OP_READ : HD_OP_WRITE, u, x, 0);
        if (pick(g, 64) == 0)
            wait_and_wake(g, u);
    }
}

static struct hd_trace *make(size_t events)
{
    struct gen g = {.b = hd_builder_new(), .seed = 1};
    struct hd_trace *t = NULL;
    char name[24];
    hd_tid u;
    hd_builder_control(g.b, HD_CONTROL_BRANCHES, &g.err);
    hd_builder_place(g.b, "p", 1);
    for (int i = 0; i < THREADS; i++)
        hd_builder_thread(g.b, name, (size_t)snprintf(name, sizeof name, "t%d", i), &u, &g.err);
    for (int i = 0; i < LOCKS; i++)
        hd_builder_obj(g.b, HD_OBJ_LOCK, name, (size_t)snprintf(name, sizeof name, "l%d", i));
    for (int i = 0; i < CONDS; i++)
        hd_builder_obj(g.b, HD_OBJ_COND, name, (size_t)snprintf(name, sizeof name, "c%d", i));
    for (int i = 0; i < LOCS; i++)
        hd_builder_obj(g.b, HD_OBJ_LOC, name, (size_t)snprintf(name, sizeof name, "x%d", i));
    while (hd_builder_count(g.b) < events)
        turn(&g, pick(&g, THREADS));
    hd_builder_finish(g.b, &t, &g.err);
    return t;
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* The first conflicting pair whose second event comes right after its first in the trace: the
 * observed prefix is its witness. Searched among the first `within` events. */
static bool adjacent_pair(const struct hd_trace *t, size_t within, struct hd_witness *w)
{
    for (hd_eid e = 0; e + 1 < within; e++)
        if (hd_property_conflict(t, e, e + 1)) {
            w->a = e;
            w->b = e + 1;
            w->n = (size_t)e + 2;
            w->schedule = hd_alloc(w->n * sizeof *w->schedule);
            for (hd_eid i = 0; i < w->n; i++)
                w->schedule[i] = i;
            return true;
        }
    return false;
}

static void bench_witness(const struct hd_trace *t)
{
    struct hd_witness w = {0};
    struct hd_err err;
    struct hd_matching m;
    size_t within = t->n_events < 20000 ? t->n_events : 20000, rounds = 2000;
    if (!adjacent_pair(t, within, &w))
        return;
    hd_matching_check(t, &m);
    struct hd_wake *wakes = hd_alloc(m.n * sizeof *wakes);
    for (size_t i = 0; i < m.n && m.wakes[i].sig < w.a; i++)
        wakes[w.n_wakes++] = m.wakes[i];
    w.wakes = hd_realloc(wakes, m.n * sizeof *wakes, w.n_wakes * sizeof *wakes);
    struct hd_checker *c = hd_checker_new(t);
    double start = now();
    for (size_t i = 0; i < rounds; i++)
        if (hd_checker_check(c, &w, NULL, &err) != HD_OK) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
    double seconds = now() - start;
    printf("witness check: %zu entries, %.2f million entries/s\n", w.n,
           (double)(w.n * rounds) / seconds / 1e6);
    hd_checker_free(c);
    hd_matching_fini(&m);
    hd_witness_fini(&w);
}

int main(int argc, char **argv)
{
    size_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
    struct hd_trace *t = make(events);
    double best = 1e9;
    struct hd_err err;
    for (int i = 0; i < 5; i++) {
        double start = now();
        if (hd_check_trace(t, NULL, &err) != HD_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    printf("trace check: %zu events, %.2f million events/s (best of 5)\n", t->n_events,
           (double)t->n_events / best / 1e6);
    bench_witness(t);
    hd_trace_free(t);
    return 0;
}
