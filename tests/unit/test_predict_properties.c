/* Atomicity violations and deadlocks against exhaustive enumeration: on small random traces exactly
 * those triples and cycles are reported that some schedule of docs/MODEL.md shows, nothing is
 * undecided, every witness is accepted (hd_predict fails otherwise), and asking for source places
 * gives the places of what asking for events gives. Each seed runs another choice of steps; the
 * solver is always among them.
 *
 * HEDDLE_TEST_LONG=1 runs 5,000 seeds of each kind. HEDDLE_SEED=n runs one. HEDDLE_TEST_COUNTS=1
 * prints which step decided how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "lock_trace.h"
#include "model/enumerate_property.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"

static uint32_t steps_of(uint64_t seed)
{
    const uint32_t all = (1u << HD_STEPS) - 1, smt = 1u << HD_STEP_SMT;
    const uint32_t choices[] = {all,
                                smt,
                                all & ~(1u << HD_STEP_GREEDY),
                                smt | 1u << HD_STEP_GREEDY,
                                smt | 1u << HD_STEP_CLOSURE,
                                smt | 1u << HD_STEP_MUST,
                                smt | 1u << HD_STEP_PROTOCOL,
                                smt | 1u << HD_STEP_UCG,
                                smt | 1u << HD_STEP_LOCKSET | 1u << HD_STEP_CLOSURE};
    return choices[seed % (sizeof choices / sizeof *choices)];
}

struct counts {
    uint64_t left_out, candidates, real, found[HD_STEPS], proved[HD_STEPS];
};

struct run {
    const struct hd_trace *t;
    uint64_t seed;
    enum hd_property property;
    struct counts n;
};

static void complain(const struct run *r, const char *what)
{
    char path[256];
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/%s-%llu.trace", HD_TEST_TMP, hd_property_names[r->property],
             (unsigned long long)r->seed);
    hd_trace_io_save(r->t, path, HD_FORMAT_TEXT, &err);
    fail_msg("seed %llu, steps %#x: %s; the trace is kept in %s", (unsigned long long)r->seed,
             steps_of(r->seed), what, path);
}

static void predict(const struct run *r, bool all, struct hd_prediction *v)
{
    struct hd_predict_options options;
    struct hd_err err = {0};
    hd_predict_defaults(&options);
    options.all_pairs = all;
    options.jobs = 1 + r->seed % 2;
    options.steps = steps_of(r->seed);
    if (hd_predict(r->t, r->property, &options, v, &err) != HD_OK)
        complain(r, err.text);
    uint64_t sum = v->skipped + v->open;
    for (int s = 0; s < HD_STEPS; s++)
        sum += v->proved[s] + v->found_by[s];
    if (v->undecided.len)
        complain(r, "something is undecided");
    if (sum != v->candidates)
        complain(r, "the counts do not add up");
}

/* Each kind of violation as a text of places, sorted, each once. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t places_of(const struct run *r, const struct hd_prediction *v, char **out)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < v->found.len; i++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&v->found, i))->witness;
        char text[256] = "";
        size_t first = 0;
        for (size_t k = 1; k < w->n_events && r->property == HD_PROPERTY_DEADLOCK; k++)
            if (r->t->place[w->events[k]] < r->t->place[w->events[first]])
                first = k;
        for (size_t k = 0; k < w->n_events; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %u",
                     r->t->place[w->events[(first + k) % w->n_events]]);
        out[n++] = strdup(text);
    }
    qsort(out, n, sizeof *out, by_text);
    for (size_t i = 0; i < n; i++) {
        if (kept && !strcmp(out[kept - 1], out[i]))
            free(out[i]);
        else
            out[kept++] = out[i];
    }
    return kept;
}

static void compare_places(const struct run *r, const struct hd_prediction *by_events)
{
    struct hd_prediction by_places;
    predict(r, false, &by_places);
    char **x = calloc(by_events->found.len + 1, sizeof *x);
    char **y = calloc(by_places.found.len + 1, sizeof *y);
    size_t n = places_of(r, by_events, x), m = places_of(r, &by_places, y);
    bool same = n == m;
    for (size_t i = 0; i < n || i < m; i++) {
        same = same && i < n && i < m && !strcmp(x[i], y[i]);
        if (i < n)
            free(x[i]);
        if (i < m)
            free(y[i]);
    }
    if (!same)
        complain(r, "asking for places gives other places");
    free(x);
    free(y);
    hd_prediction_fini(&by_places);
}

static void count(struct run *r, const struct hd_prediction *v)
{
    r->n.candidates += v->candidates;
    r->n.real += v->found.len;
    for (int s = 0; s < HD_STEPS; s++) {
        r->n.found[s] += v->found_by[s];
        r->n.proved[s] += v->proved[s];
    }
}

/* ---- atomicity ---- */

/* By the definition: both in one outermost begin...end. */
static bool in_given_block(const struct hd_trace *t, hd_eid c, hd_eid d)
{
    int depth = 0, open_at_c = 0;
    bool together = false;
    for (hd_eid e = 0; e <= d; e++) {
        if (t->thread[e] != t->thread[c])
            continue;
        depth += t->op[e] == HD_OP_BEGIN;
        depth -= t->op[e] == HD_OP_END;
        if (e == c)
            together = (open_at_c = depth) > 0;
        if (e > c && !depth)
            together = false;
    }
    return together;
}

static void check_blocks(const struct run *r, const struct hd_vec *pairs)
{
    const struct hd_trace *t = r->t;
    for (hd_eid c = 0; c < t->n_events; c++)
        for (hd_eid d = c + 1; d < t->n_events; d++) {
            bool listed = false;
            if (t->thread[c] != t->thread[d] || !hd_op_is_access(t->op[c]) ||
                !hd_op_is_access(t->op[d]) || t->obj[c] != t->obj[d])
                continue;
            for (size_t i = 0; i < pairs->len; i++) {
                const struct hd_block_pair *x = hd_vec_at(pairs, i);
                listed |= x->c == c && x->d == d && x->kind == HD_BLOCK_GIVEN;
            }
            bool other = false; /* does anybody else use it? */
            for (hd_eid e = 0; e < t->n_events; e++)
                other |= hd_op_is_access(t->op[e]) && t->obj[e] == t->obj[c] &&
                         t->thread[e] != t->thread[c];
            if (listed != (other && in_given_block(t, c, d)))
                complain(r, "the pairs of the given blocks are not those of the definition");
        }
}

static void judge_atomicity(struct run *r)
{
    const struct hd_trace *t = r->t;
    struct hd_vec pairs = HD_VEC_INIT(struct hd_block_pair);
    struct hd_vec triples = HD_VEC_INIT(struct hd_triple);
    struct hd_world *w = hd_world_new(t);
    struct hd_err err = {0};
    hd_atomic_blocks_pairs(w, true, &pairs);
    check_blocks(r, &pairs);
    hd_world_free(w);
    for (size_t i = 0; i < pairs.len; i++) {
        const struct hd_block_pair *x = hd_vec_at(&pairs, i);
        for (hd_eid e = 0; e < t->n_events; e++)
            if (hd_property_unserialisable(t, x->c, e, x->d))
                *(struct hd_triple *)hd_vec_push(&triples) = (struct hd_triple){x->c, e, x->d};
    }
    bool *real = calloc(triples.len + 1, sizeof *real);
    if (hd_enumerate_property_triples(t, triples.data, triples.len, 100000, real, &err) == HD_OK) {
        struct hd_prediction v;
        size_t expected = 0;
        predict(r, true, &v);
        for (size_t i = 0; i < triples.len; i++) {
            const struct hd_triple *x = hd_vec_at(&triples, i);
            bool found = false;
            for (size_t k = 0; k < v.found.len && !found; k++) {
                const hd_eid *e = ((struct hd_predicted *)hd_vec_at(&v.found, k))->witness.events;
                found = e[0] == x->c && e[1] == x->r && e[2] == x->d;
            }
            expected += real[i];
            if (found != real[i])
                complain(r, found ? "a wrong violation" : "a violation is missing");
        }
        if (expected != v.found.len || v.candidates != triples.len)
            complain(r, "more than the candidates");
        count(r, &v);
        compare_places(r, &v);
        hd_prediction_fini(&v);
    } else {
        r->n.left_out++;
    }
    free(real);
    hd_vec_fini(&triples);
    hd_vec_fini(&pairs);
}

/* ---- deadlocks ---- */

static void judge_deadlocks(struct run *r)
{
    struct hd_vec cycles = HD_VEC_INIT(struct hd_cycle);
    struct hd_prediction v;
    struct hd_err err = {0};
    if (hd_enumerate_property_deadlocks(r->t, 100000, &cycles, &err) == HD_OK) {
        predict(r, true, &v);
        bool same = v.found.len == cycles.len;
        for (size_t i = 0; same && i < cycles.len; i++) {
            const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&v.found, i))->witness;
            struct hd_cycle found = {w->events, w->n_events};
            same = !hd_cycle_compare(&found, hd_vec_at(&cycles, i));
        }
        if (!same)
            complain(r, v.found.len > cycles.len ? "a wrong deadlock" : "other deadlocks");
        count(r, &v);
        compare_places(r, &v);
        hd_prediction_fini(&v);
    } else {
        r->n.left_out++;
    }
    hd_enumerate_property_cycles_fini(&cycles);
}

/* ---- traces ---- */

static struct hd_trace *mixed(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_gen_small(seed, &config);
    config.features |= 1u << HD_GEN_BLOCK | (seed % 3 ? 1u << HD_GEN_DEPS | 1u << HD_GEN_VAL : 0);
    config.events += 4;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

static struct hd_trace *nested(uint64_t seed)
{
    struct hd_lock_trace config = {.seed = seed,
                                   .events = 20 + seed % 21,
                                   .threads = 2 + seed % 3,
                                   .locks = 2 + seed % 3,
                                   .data = seed % 2,
                                   .rwlocks = seed % 5 == 0,
                                   .forks = seed % 7 < 3};
    return hd_lock_trace(&config);
}

static void run_one(struct run *r, struct hd_trace *t)
{
    assert_non_null(t);
    r->t = t;
    if (r->property == HD_PROPERTY_ATOMICITY)
        judge_atomicity(r);
    else
        judge_deadlocks(r);
    hd_trace_free(t);
}

static void run_seeds(enum hd_property property, uint64_t seeds)
{
    struct run r = {.property = property};
    uint64_t first = 0;
    seeds = seeds_count(seeds, 5000);
    if (getenv("HEDDLE_SEED")) {
        first = strtoull(getenv("HEDDLE_SEED"), NULL, 0);
        seeds = first + 1;
    }
    for (r.seed = first; r.seed < seeds; r.seed++) {
        run_one(&r, mixed(r.seed));
        run_one(&r, nested(r.seed));
    }
    if (getenv("HEDDLE_TEST_COUNTS")) {
        print_message("%s: %llu candidates, %llu real, %llu traces left out\n",
                      hd_property_names[property], (unsigned long long)r.n.candidates,
                      (unsigned long long)r.n.real, (unsigned long long)r.n.left_out);
        for (int s = 0; s < HD_STEPS; s++)
            print_message("  %-8s found %llu, proved impossible %llu\n", hd_step_names[s],
                          (unsigned long long)r.n.found[s], (unsigned long long)r.n.proved[s]);
    }
    if (getenv("HEDDLE_SEED"))
        return;
    assert_true(r.n.left_out * 20 < seeds);
    assert_true(r.n.real * 20 > r.n.candidates && r.n.real * 20 < r.n.candidates * 19);
}

static void test_atomicity(void **state)
{
    (void)state;
    run_seeds(HD_PROPERTY_ATOMICITY, 400);
}

static void test_deadlocks(void **state)
{
    (void)state;
    run_seeds(HD_PROPERTY_DEADLOCK, 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_atomicity),
                                       cmocka_unit_test(test_deadlocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
