/* Universal causality graphs against the enumeration of all states.
 *
 * Where data plays no part and two threads meet at locks, waits, notifications, fork and join only,
 * "possible" and "impossible" must both be right, for races, atomicity violations and deadlocks.
 * With any number of threads and any primitives "impossible" must be right. Chopped and whole
 * graphs must agree, and the recorded matching must only rule out more. Goals that are asked
 * together, races, triples and cycles in one graph, must get the answers that each gets alone.
 *
 * HEDDLE_TEST_LONG=1 runs ten times as many seeds; HEDDLE_SEED=n runs one.
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
#include "model/enumerate.h"
#include "model/enumerate_property.h"
#include "predict/ucg/ucg.h"
#include "predict/index/world.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"
#include "trace/text/text.h"

struct graphs {
    struct hd_world *w;
    struct hd_ucg_base *mhb, *must, *recorded;
    struct hd_ucg *whole, *chopped, *with_must, *with_must_whole, *published;
};

enum { SINGLES = 5, MOST_STOPS = 8 };

/* A goal and what each graph says of it alone. */
struct kept {
    hd_eid events[MOST_STOPS];
    struct hd_goal goal; /* its stops are those of whoever made it, until the batch */
    bool single[SINGLES];
};

static void graphs_init(struct graphs *g, const struct hd_trace *t)
{
    g->w = hd_world_new(t);
    g->mhb = hd_ucg_base_new(t, g->w->sections, g->w->conds, NULL, HD_MHB_ANY_WAITER);
    g->must = hd_ucg_base_new(t, g->w->sections, g->w->conds, g->w->must, HD_MHB_ANY_WAITER);
    g->recorded = hd_ucg_base_new(t, g->w->sections, g->w->conds, NULL, HD_MHB_RECORDED);
    g->whole = hd_ucg_new(g->mhb, false);
    g->chopped = hd_ucg_new(g->mhb, true);
    g->with_must = hd_ucg_new(g->must, true);
    g->with_must_whole = hd_ucg_new(g->must, false);
    g->published = hd_ucg_new(g->recorded, true);
}

static void graphs_fini(struct graphs *g)
{
    hd_ucg_free(g->whole);
    hd_ucg_free(g->chopped);
    hd_ucg_free(g->with_must);
    hd_ucg_free(g->with_must_whole);
    hd_ucg_free(g->published);
    hd_ucg_base_free(g->mhb);
    hd_ucg_base_free(g->must);
    hd_ucg_base_free(g->recorded);
    hd_world_free(g->w);
}

struct run {
    const struct hd_trace *t;
    struct graphs g;
    uint64_t seed;
    bool exact;
    struct hd_vec kept; /* struct kept */
    uint64_t batched, graphs;
    uint64_t goals[HD_PREDICTED_PROPERTIES], possible[HD_PREDICTED_PROPERTIES];
};

static void complain(const struct run *r, const struct hd_goal *goal, const char *what)
{
    char path[256];
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/ucg-%d-%llu.trace", HD_TEST_TMP, r->exact,
             (unsigned long long)r->seed);
    hd_trace_io_save(r->t, path, HD_FORMAT_TEXT, &err);
    print_error("seed %llu: %s, %s", (unsigned long long)r->seed, what,
                hd_property_names[goal->property]);
    if (goal->then != HD_EID_NONE)
        print_error(" %u %u", goal->first + 1, goal->then + 1);
    for (uint32_t i = 0; i < goal->n_stops; i++)
        print_error(" %u", goal->stops[i] + 1);
    print_error("; the trace is kept in %s\n", path);
    fail();
}

static void keep(struct run *r, const struct hd_goal *goal)
{
    struct hd_ucg *const graphs[SINGLES] = {r->g.chopped, r->g.whole, r->g.with_must,
                                            r->g.with_must_whole, r->g.published};
    struct kept *k = hd_vec_push(&r->kept);
    assert_true(goal->n_stops <= MOST_STOPS);
    k->goal = *goal;
    memcpy(k->events, goal->stops, goal->n_stops * sizeof *goal->stops);
    for (int i = 0; i < SINGLES; i++)
        k->single[i] = hd_ucg_possible(graphs[i], goal);
}

/* All goals of the trace again, 64 and fewer at a time, in the order of the enumeration and in a
 * random one, in which races, triples and cycles stand side by side. */
static void judge_together(struct run *r, int which, bool mixed)
{
    const struct hd_ucg_base *bases[SINGLES] = {r->g.mhb, r->g.mhb, r->g.must, r->g.must,
                                                r->g.recorded};
    struct hd_ucg *g = hd_ucg_new(bases[which], which != 1 && which != 3);
    struct hd_goal goals[HD_UCG_ASK];
    bool possible[HD_UCG_ASK];
    struct hd_rng rng;
    hd_rng_init(&rng, r->seed);
    if (mixed && r->seed % 2)
        hd_ucg_limit(g, 1 + r->seed % 7);
    for (size_t i = r->kept.len; mixed && i > 1; i--) {
        struct kept *x = hd_vec_at(&r->kept, i - 1),
                    *y = hd_vec_at(&r->kept, hd_rng_below(&rng, (uint32_t)i));
        struct kept z = *x;
        *x = *y;
        *y = z;
    }
    for (size_t from = 0, n; from < r->kept.len; from += n) {
        n = mixed ? 1 + hd_rng_below(&rng, HD_UCG_ASK) : HD_UCG_ASK;
        n = n < r->kept.len - from ? n : r->kept.len - from;
        for (size_t i = 0; i < n; i++) {
            struct kept *k = hd_vec_at(&r->kept, from + i);
            k->goal.stops = k->events;
            goals[i] = k->goal;
        }
        hd_ucg_ask(g, goals, n, possible);
        for (size_t i = 0; i < n; i++)
            if (possible[i] != ((struct kept *)hd_vec_at(&r->kept, from + i))->single[which])
                complain(r, &goals[i], "another answer in a batch");
    }
    r->batched += mixed ? 0 : r->kept.len - hd_ucg_shared(g);
    r->graphs += mixed ? 0 : hd_ucg_graphs(g);
    hd_ucg_free(g);
}

static void judge(struct run *r, const struct hd_goal *goal, bool real)
{
    bool chopped = hd_ucg_possible(r->g.chopped, goal);
    bool must = hd_ucg_possible(r->g.with_must, goal);
    keep(r, goal);
    r->goals[goal->property]++;
    r->possible[goal->property] += chopped;
    if (real && !(chopped && must))
        complain(r, goal, chopped ? "wrong impossible with must" : "wrong impossible");
    if (r->exact && chopped && !real)
        complain(r, goal, "wrong possible");
    if (chopped != hd_ucg_possible(r->g.whole, goal))
        complain(r, goal, "chopping changes the answer");
    if (must != hd_ucg_possible(r->g.with_must_whole, goal))
        complain(r, goal, "chopping changes the answer with must");
    if (!chopped && hd_ucg_possible(r->g.published, goal))
        complain(r, goal, "the recorded matching allows more");
}

static bool judge_races(struct run *r)
{
    const struct hd_trace *t = r->t;
    struct hd_enum_result e;
    struct hd_err err = {0};
    size_t next = 0;
    if (hd_enumerate(t, &(struct hd_enum_opts){.max_states = 60000}, &e, &err) != HD_OK)
        return false;
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            const hd_eid pair[] = {a, b};
            struct hd_goal goal = hd_goal_race(pair);
            if (!hd_property_conflict(t, a, b))
                continue;
            bool real = next < e.n_pairs && e.pairs[next].a == a && e.pairs[next].b == b;
            next += real;
            judge(r, &goal, real);
        }
    assert_int_equal(next, e.n_pairs);
    hd_enum_result_fini(&e);
    return true;
}

static void judge_triples(struct run *r)
{
    const struct hd_trace *t = r->t;
    struct hd_vec triples = HD_VEC_INIT(struct hd_triple);
    struct hd_err err = {0};
    for (hd_eid c = 0; c < t->n_events; c++)
        for (hd_eid d = c + 1; d < t->n_events; d++)
            for (hd_eid x = 0; x < t->n_events && triples.len < 192; x++)
                if (hd_property_unserialisable(t, c, x, d))
                    *(struct hd_triple *)hd_vec_push(&triples) = (struct hd_triple){c, x, d};
    bool *found = calloc(triples.len + 1, sizeof *found);
    assert_int_equal(hd_enumerate_property_triples(t, triples.data, triples.len, 0, found, &err),
                     HD_OK);
    for (size_t i = 0; i < triples.len; i++) {
        const struct hd_triple *x = hd_vec_at(&triples, i);
        const hd_eid events[] = {x->c, x->r, x->d};
        struct hd_goal goal = hd_goal_atomicity(events);
        judge(r, &goal, found[i]);
    }
    free(found);
    hd_vec_fini(&triples);
}

/* All pairs of lock events that wait for each other, if both are reached. Longer cycles only those
 * that exist. */
static void judge_deadlocks(struct run *r)
{
    const struct hd_trace *t = r->t;
    const struct hd_sections *s = r->g.w->sections;
    struct hd_vec cycles = HD_VEC_INIT(struct hd_cycle);
    struct hd_err err = {0};
    assert_int_equal(hd_enumerate_property_deadlocks(t, 0, &cycles, &err), HD_OK);
    for (size_t i = 0; i < cycles.len; i++) {
        const struct hd_cycle *cycle = hd_vec_at(&cycles, i);
        struct hd_goal goal = hd_goal_deadlock(cycle->events, (uint32_t)cycle->n);
        judge(r, &goal, true);
    }
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            const hd_eid pair[] = {a, b};
            struct hd_goal goal = hd_goal_deadlock(pair, 2);
            bool waits[2] = {false, false}, real = false;
            if (t->thread[a] == t->thread[b] || !hd_property_takes_lock(t, a) ||
                !hd_property_takes_lock(t, b))
                continue;
            for (int k = 0; k < 2; k++) {
                struct hd_section want = {.lock = hd_trace_lock(t, pair[k]),
                                          .thread = t->thread[pair[k]],
                                          .shared = t->op[pair[k]] == HD_OP_RACQ};
                uint32_t n = hd_section_of(s, pair[k]) == HD_SECTION_NONE ? HD_HELD_EMPTY
                                                                          : hd_held(s, pair[!k]);
                for (; n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next)
                    waits[k] |=
                        hd_section_excludes(&want, hd_section_at(s, hd_held_at(s, n)->section));
            }
            for (size_t i = 0; i < cycles.len; i++) {
                const struct hd_cycle *cycle = hd_vec_at(&cycles, i);
                real |= cycle->n == 2 && cycle->events[0] == a && cycle->events[1] == b;
            }
            if (waits[0] && waits[1])
                judge(r, &goal, real);
            else
                keep(r, &goal); /* no cycle, but a question like any other */
        }
    hd_enumerate_property_cycles_fini(&cycles);
}

static bool run_trace(struct run *r)
{
    graphs_init(&r->g, r->t);
    r->kept = HD_VEC_INIT(struct kept);
    bool done = judge_races(r);
    if (done) {
        judge_triples(r);
        judge_deadlocks(r);
    }
    for (int which = 0; which < SINGLES; which++)
        for (int mixed = 0; mixed < 2; mixed++)
            judge_together(r, which, mixed);
    hd_vec_fini(&r->kept);
    graphs_fini(&r->g);
    return done;
}

/* Two threads that meet at locks and conditions only. */
static void two_threads(uint64_t seed, struct hd_gen_config *config)
{
    static const uint8_t some[] = {HD_GEN_COND,   HD_GEN_TIMEOUT, HD_GEN_REENTRANT,
                                   HD_GEN_RWLOCK, HD_GEN_FORK,    HD_GEN_JOIN};
    struct hd_rng rng;
    hd_rng_init(&rng, seed);
    hd_gen_defaults(config);
    config->seed = seed;
    config->events = 10 + hd_rng_below(&rng, 40);
    config->threads = 2;
    config->locations = 1 + hd_rng_below(&rng, 2);
    config->locks = 1 + hd_rng_below(&rng, 4);
    config->control = HD_GEN_CONTROL_BRANCHES;
    config->features = 1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX;
    for (size_t i = 0; i < sizeof some; i++)
        if (hd_rng_chance(&rng, 50))
            config->features |= 1u << some[i];
}

static void any_threads(uint64_t seed, struct hd_gen_config *config)
{
    hd_gen_small(seed, config);
    config->events += 6;
    config->locks += 1;
}

/* Nested locks; two threads and no data that matters when the answers have to be exact. */
static struct hd_trace *nested(uint64_t seed, bool exact)
{
    struct hd_lock_trace config = {.seed = seed,
                                   .events = 12 + seed % 19,
                                   .threads = exact ? 2 : 2 + seed % 3,
                                   .locks = 2 + seed % 4,
                                   .data = !exact,
                                   .rwlocks = seed % 5 == 0,
                                   .forks = seed % 7 < 3};
    return hd_lock_trace(&config);
}

static void run_seeds(bool exact, uint64_t seeds)
{
    struct run r = {.exact = exact};
    uint64_t first = 0, left_out = 0;
    seeds = seeds_count(seeds, 10 * seeds);
    if (getenv("HEDDLE_SEED")) {
        first = strtoull(getenv("HEDDLE_SEED"), NULL, 0);
        seeds = first + 1;
    }
    for (r.seed = first; r.seed < seeds; r.seed++) {
        struct hd_gen_config config;
        struct hd_trace *t;
        struct hd_err err = {0};
        if (exact)
            two_threads(r.seed, &config);
        else
            any_threads(r.seed, &config);
        assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
        r.t = t;
        left_out += !run_trace(&r);
        hd_trace_free(t);
        r.t = nested(r.seed, exact);
        assert_non_null(r.t);
        left_out += !run_trace(&r);
        hd_trace_free((struct hd_trace *)r.t);
    }
    if (getenv("HEDDLE_TEST_COUNTS"))
        print_message("%llu goals in %llu graphs\n", (unsigned long long)r.batched,
                      (unsigned long long)r.graphs);
    if (getenv("HEDDLE_TEST_COUNTS"))
        for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++)
            print_message("%s: %llu goals, %llu possible\n", hd_property_names[p],
                          (unsigned long long)r.goals[p], (unsigned long long)r.possible[p]);
    if (getenv("HEDDLE_SEED"))
        return;
    assert_true(left_out * 20 < seeds);
    assert_true(r.batched > 4 * r.graphs);            /* they do share */
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++) /* both answers must occur, often */
        assert_true(r.possible[p] * 50 > r.goals[p] &&
                    (r.goals[p] - r.possible[p]) * 50 > r.goals[p]);
}

static void test_two_threads(void **state)
{
    (void)state;
    run_seeds(true, 1500);
}

static void test_any_threads(void **state)
{
    (void)state;
    run_seeds(false, 800);
}

/* Two races with one label share a graph; its orders, which the solver gets, are those that the
 * lock makes: t2's section ends before the one that t1 stops in begins. */
static void test_shared_graph_and_orders(void **state)
{
    static const char text[] = "!control branches\n"
                               "t1|acq(l)\nt1|w(x)\nt1|w(y)\nt1|rel(l)\n"
                               "t2|acq(l)\nt2|rel(l)\nt2|w(x)\nt2|w(y)\n";
    (void)state;
    struct hd_trace *t;
    assert_int_equal(hd_text_read(text, strlen(text), "shared", &t, NULL), HD_OK);
    struct hd_world *w = hd_world_new(t);
    struct hd_ucg_base *base =
        hd_ucg_base_new(t, w->sections, w->conds, w->must, HD_MHB_ANY_WAITER);
    struct hd_ucg *g = hd_ucg_new(base, true);
    const hd_eid on_x[] = {1, 6}, on_y[] = {2, 7}, crossed[] = {1, 7};
    struct hd_goal x = hd_goal_race(on_x), y = hd_goal_race(on_y), z = hd_goal_race(crossed);
    assert_true(hd_ucg_possible(g, &x));
    assert_int_equal(hd_ucg_shared(g), 0);
    assert_true(hd_ucg_possible(g, &y));
    assert_true(hd_ucg_possible(g, &z));
    assert_int_equal(hd_ucg_shared(g), 2);
    struct hd_vec orders = HD_VEC_INIT(struct hd_ucg_order);
    assert_true(hd_ucg_orders(g, &y, &orders));
    bool found = false;
    for (size_t i = 0; i < orders.len; i++) {
        const struct hd_ucg_order *o = hd_vec_at(&orders, i);
        found |= o->from == 5 && o->to == 0;
    }
    assert_true(found);
    hd_vec_fini(&orders);
    hd_ucg_free(g);
    hd_ucg_base_free(base);
    hd_world_free(w);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_graph_and_orders),
                                       cmocka_unit_test(test_two_threads),
                                       cmocka_unit_test(test_any_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
