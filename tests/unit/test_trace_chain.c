/* Chains of threads (trace/chain.h) against exhaustive enumeration: on small random traces with
 * forks and joins the trace with chains must be consistent and have exactly the same racing pairs,
 * unordered ones too, and prediction on chains must find exactly the pairs that enumeration finds,
 * with witnesses that the judge accepts for the trace itself.
 *
 * Random traces seldom need a rule, so each has a trace of its own, too.
 *
 * HEDDLE_TEST_LONG=1 runs 30,000 seeds, else 2,500. HEDDLE_SEED=n runs only that one; a mismatch
 * keeps its trace.
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
#include "base/alloc.h"
#include "base/rng.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "model/enumerate_order.h"
#include "predict/run/predict.h"
#include "trace/chain.h"
#include "trace/trace_copy.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"
#include "trace/trace_io.h"

static uint64_t fewer, pairs, unordered, left_out;

static void keep(const struct hd_trace *t, const struct hd_chains *c, uint64_t seed)
{
    char path[256];
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/chain-%llu.trace", HD_TEST_TMP, (unsigned long long)seed);
    hd_trace_io_save(t, path, HD_FORMAT_TEXT, &err);
    print_error("seed %llu: the trace is kept in %s; with chains:\n", (unsigned long long)seed,
                path);
    for (hd_eid e = 0; e < c->t->n_events; e++)
        hd_text_write_event(c->t, e, stderr);
}

/* ---- random traces: threads of generated ones, cut into pieces that a main thread creates and
 * joins one after the other ---- */

struct cutter {
    const struct hd_trace *t;
    struct hd_builder *b;
    struct hd_rng rng;
    hd_tid main, piece[8];
    uint32_t number[8], holds[8];
    hd_eid *to;
    uint32_t *piece_of; /* by event of t: number of the piece in its thread */
    struct hd_u32vec list[2];
    uint32_t n;
};

static void put(struct cutter *c, const struct hd_event *ev)
{
    struct hd_err err = {0};
    assert_int_equal(hd_builder_add(c->b, ev, &err), HD_OK);
    c->n++;
}

static void main_does(struct cutter *c, enum hd_op op, hd_tid piece)
{
    put(c, &(struct hd_event){.op = op, .thread = c->main, .obj = piece});
}

static void new_piece(struct cutter *c, hd_tid u)
{
    char name[32];
    struct hd_err err = {0};
    int n = snprintf(name, sizeof name, "t%u.%u", u, c->number[u]++);
    assert_int_equal(hd_builder_thread(c->b, name, (size_t)n, &c->piece[u], &err), HD_OK);
    main_does(c, HD_OP_FORK, c->piece[u]);
}

static bool can_cut(const struct cutter *c, hd_eid e)
{
    hd_tid u = c->t->thread[e];
    if (!c->t->pos[e] || c->holds[u])
        return false;
    enum hd_op before = c->t->op[hd_trace_back(c->t, e, 1)];
    return before != HD_OP_WAIT && before != HD_OP_BARIN;
}

/* Reads of earlier pieces are left out of the sets. */
static struct hd_dep_list set_of(struct cutter *c, hd_eid e, enum hd_dep_role role)
{
    struct hd_deps deps = hd_trace_deps(c->t, e, role);
    struct hd_u32vec *list = &c->list[role];
    list->len = 0;
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid r = hd_trace_back(c->t, e, deps.dist[i]);
        if (c->piece_of[r] == c->number[c->t->thread[e]])
            hd_u32vec_push(list, r == e ? c->n : c->to[r]);
    }
    return (struct hd_dep_list){!deps.all, (uint32_t)list->len, list->data};
}

static void cut_event(struct cutter *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    hd_tid u = t->thread[e];
    enum hd_op op = t->op[e];
    if (can_cut(c, e) && hd_rng_chance(&c->rng, 40)) {
        main_does(c, HD_OP_JOIN, c->piece[u]);
        new_piece(c, u);
    }
    c->holds[u] += op == HD_OP_ACQ || op == HD_OP_RACQ || op == HD_OP_WAKE || op == HD_OP_TMO ||
                   op == HD_OP_BEGIN;
    c->holds[u] -= op == HD_OP_REL || op == HD_OP_RREL || op == HD_OP_WAIT || op == HD_OP_END;
    struct hd_event ev = hd_trace_copy_event(t, e);
    ev.thread = c->piece[u];
    c->piece_of[e] = c->number[u];
    if (op == HD_OP_BRANCH || hd_op_writes(op))
        ev.deps = set_of(c, e, HD_DEP_VALUE);
    if (hd_op_is_access(op))
        ev.addr = set_of(c, e, HD_DEP_ADDR);
    c->to[e] = c->n;
    put(c, &ev);
}

/* Frees t. */
static struct hd_trace *cut(struct hd_trace *t, uint64_t seed)
{
    struct cutter c = {.t = t, .b = hd_builder_new()};
    struct hd_trace *out;
    struct hd_err err = {0};
    hd_rng_init(&c.rng, seed);
    c.to = hd_calloc(t->n_events, sizeof *c.to);
    c.piece_of = hd_calloc(t->n_events, sizeof *c.piece_of);
    assert_int_equal(hd_builder_control(c.b, t->control, &err), HD_OK);
    assert_int_equal(hd_builder_thread(c.b, "main", 4, &c.main, &err), HD_OK);
    assert_int_equal(hd_trace_copy_given(t, c.b, &err), HD_OK);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        for (uint32_t i = 0; i < hd_trace_n_objs(t, kind); i++)
            hd_trace_copy_obj(t, c.b, kind, i);
    for (uint32_t i = 0; i < hd_trace_n_objs(t, HD_OBJ_LOC); i++)
        assert_int_equal(hd_trace_copy_init(t, c.b, i, &err), HD_OK);
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        new_piece(&c, u);
    for (hd_eid e = 0; e < t->n_events; e++)
        cut_event(&c, e);
    assert_int_equal(hd_builder_finish(c.b, &out, &err), HD_OK);
    hd_free(c.to, t->n_events * sizeof *c.to);
    hd_free(c.piece_of, t->n_events * sizeof *c.piece_of);
    hd_u32vec_fini(&c.list[0]);
    hd_u32vec_fini(&c.list[1]);
    hd_trace_free(t);
    assert_int_equal(hd_check_trace(out, NULL, &err), HD_OK);
    return out;
}

static struct hd_trace *make(uint64_t seed, uint32_t features, uint32_t events)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_gen_small(seed, &config);
    config.features |= features;
    config.features &= ~(1u << HD_GEN_SHAPES | 1u << HD_GEN_FORK | 1u << HD_GEN_JOIN);
    if (seed % 2)
        config.features |= 1u << HD_GEN_VAL | 1u << HD_GEN_DEPS | 1u << HD_GEN_BRANCH;
    config.control = HD_GEN_CONTROL_BRANCHES;
    config.threads = 2 + (uint32_t)(seed % 3);
    config.locations = 1 + (uint32_t)(seed % 3);
    config.events = events;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return cut(t, seed);
}

static bool same(const struct hd_enum_result *whole, const struct hd_enum_result *chained,
                 const struct hd_u32vec *from)
{
    bool equal = whole->n_pairs == chained->n_pairs;
    for (size_t i = 0; equal && i < chained->n_pairs; i++)
        equal = from->data[chained->pairs[i].a] == whole->pairs[i].a &&
                from->data[chained->pairs[i].b] == whole->pairs[i].b;
    return equal;
}

/* Prediction that works on chains, told in events of t. */
static bool predicted(const struct hd_trace *t, const struct hd_enum_result *whole)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_predict_defaults(&options);
    options.sc = options.all_pairs = true;
    options.jobs = 1;
    options.fold_from = 0;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &p, &err), HD_OK);
    bool equal = p.found.len == whole->n_pairs && !p.undecided.len && !p.rejected.n;
    for (size_t i = 0; equal && i < whole->n_pairs; i++) {
        const struct hd_predicted *race = hd_vec_at(&p.found, i);
        equal = race->witness.a == whole->pairs[i].a && race->witness.b == whole->pairs[i].b &&
                hd_witness_check(t, &race->witness, NULL, &err) == HD_OK;
    }
    hd_prediction_fini(&p);
    return equal;
}

static void compare_chained(const struct hd_trace *t, const struct hd_chains *c, uint64_t seed)
{
    struct hd_enum_opts opts = {.max_states = 200000};
    struct hd_enum_result a, b;
    struct hd_err err = {0};
    assert_int_equal(c->from.len, c->t->n_events);
    bool good = hd_check_trace(c->t, NULL, &err) == HD_OK;
    bool done = hd_enumerate(t, &opts, &a, &err) == HD_OK;
    done &= hd_enumerate(c->t, &opts, &b, &err) == HD_OK;
    if (done)
        good = good && same(&a, &b, &c->from) && predicted(t, &a);
    pairs += a.n_pairs;
    left_out += !done;
    hd_enum_result_fini(&a);
    hd_enum_result_fini(&b);
    if (!good)
        keep(t, c, seed);
    assert_true(good);
    fewer += hd_trace_n_threads(t) - hd_trace_n_threads(c->t);
}

/* Frees t. */
static bool compare(struct hd_trace *t, uint64_t seed)
{
    struct hd_chains c;
    struct hd_err err = {0};
    assert_int_equal(hd_chains_make(t, 0, &c, &err), HD_OK);
    bool any = c.t != NULL;
    if (any)
        compare_chained(t, &c, seed);
    hd_chains_fini(&c);
    hd_trace_free(t);
    return any;
}

/* Unordered pairs, with and without chains. */
static void compare_unordered(const struct hd_trace *t, const struct hd_chains *c, uint64_t seed)
{
    struct hd_vec a = HD_VEC_INIT(struct hd_unordered), b = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err = {0};
    bool done = hd_enumerate_order(t, 100000, &a, &err) == HD_OK;
    done = done && hd_enumerate_order(c->t, 100000, &b, &err) == HD_OK;
    bool equal = !done || a.len == b.len;
    for (size_t i = 0; done && equal && i < a.len; i++) {
        const struct hd_unordered *x = hd_vec_at(&a, i), *y = hd_vec_at(&b, i);
        equal = x->a == c->from.data[y->a] && x->b == c->from.data[y->b] && x->alone == y->alone;
    }
    unordered += done ? a.len : 0;
    hd_enumerate_order_fini(&a);
    hd_enumerate_order_fini(&b);
    if (!equal)
        keep(t, c, seed);
    assert_true(equal);
}

/* ---- one trace for each rule ---- */

static const struct {
    const char *text;
    size_t threads; /* with chains; 0: as before */
} hand[] = {
    /* one after the other; k may come at any time */
    {"m|fork(k)\nm|fork(u)\nu|w(x,1)\nm|join(u)\nm|fork(v)\nv|w(y,1)\nm|join(v)\nk|w(x,2)\n"
     "k|w(y,2)\nm|w(y,3)\n",
     3},
    /* what a thread joined is free for the one that joins it */
    {"m|fork(k)\nm|fork(u)\nu|fork(a)\na|w(x,1)\nu|join(a)\nm|join(u)\nm|fork(v)\nm|fork(b)\n"
     "v|w(x,2)\nb|w(x,3)\nk|w(x,4)\n",
     4},
    /* "all earlier reads" are those of the thread, not of the one before it */
    {"!control branches\n!init x "
     "0\nm|fork(k)\nk|w(y,2)||val=\nk|w(x,1)||val=\nm|fork(u)\nu|r(x,1)\n"
     "m|join(u)\nm|fork(v)\nv|br\nv|w(y,1)\n",
     3},
    /* a fence says nothing about the atomics of the next thread */
    {"m|fork(k)\nm|fork(u)\nu|w(d,1)\nu|fence(rel)\nm|join(u)\nm|fork(v)\n"
     "v|aw(f,1)||mo=rlx\nk|ar(f,1)||mo=acq\nk|br\nk|r(d,1)\n",
     0},
    /* who holds a lock for ever is another thread */
    {"m|fork(k)\nm|fork(u)\nu|acq(l)\nm|join(u)\nm|fork(v)\nv|tryfail(l)\nv|w(y,1)\nk|w(y,2)\n", 0},
    /* joined by two */
    {"m|fork(k)\nm|fork(u)\nu|w(x,1)\nm|join(u)\nk|join(u)\nm|fork(v)\nv|w(y,1)\nk|w(y,2)\n", 0},
    /* a wait that nobody ends */
    {"m|fork(k)\nm|fork(u)\nu|acq(l)\nu|wait(c,l)\nm|join(u)\nm|fork(v)\nv|w(y,1)\nk|sig(c)\n"
     "k|w(y,2)\n",
     0},
    /* notified in the place of another */
    {"m|fork(k)\nm|fork(u)\nu|w(x,1)\nm|join(u)\nm|fork(v)\nv|acq(l)\nv|wait(c,l)\nk|w(y,2)\n"
     "k|sig(c)\nv|wake(c,l)\nv|rel(l)\nv|w(y,1)\nk|w(x,2)\nk|w(y,3)\n",
     3},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        struct hd_trace *t;
        struct hd_chains c;
        struct hd_err err = {0};
        char text[1024];
        const char *control = hand[i].text[0] == '!' ? "" : "!control branches\n";
        snprintf(text, sizeof text, "%s%s", control, hand[i].text);
        enum hd_status s = hd_text_read(text, strlen(text), "hand", &t, &err);
        if (s != HD_OK)
            print_error("trace %zu: %s\n", i, err.text);
        assert_int_equal(s, HD_OK);
        assert_int_equal(hd_check_trace(t, NULL, &err), HD_OK);
        assert_int_equal(hd_chains_make(t, 0, &c, &err), HD_OK);
        if (c.t) {
            compare_chained(t, &c, i);
            compare_unordered(t, &c, i);
        }
        if (hand[i].threads != (c.t ? hd_trace_n_threads(c.t) : 0))
            print_error("trace %zu\n", i);
        assert_int_equal(c.t ? hd_trace_n_threads(c.t) : 0, hand[i].threads);
        hd_chains_fini(&c);
        hd_trace_free(t);
    }
}

/* The least number of threads, and that half of them must be saved. */
static void when(void **state)
{
    (void)state;
    const char *text = "!control branches\nm|fork(u)\nu|w(x,1)\nm|join(u)\nm|fork(v)\nv|w(x,2)\n"
                       "m|join(v)\nm|fork(w)\nw|w(x,3)\n";
    struct hd_trace *t;
    struct hd_chains c;
    struct hd_err err = {0};
    assert_int_equal(hd_text_read(text, strlen(text), "when", &t, &err), HD_OK);
    for (size_t least = 1; least < 7; least++) {
        assert_int_equal(hd_chains_make(t, least, &c, &err), HD_OK);
        assert_int_equal(c.t != NULL, least <= 4);
        hd_chains_fini(&c);
    }
    hd_trace_free(t);
}

static void random_orders(void **state)
{
    (void)state;
    const uint32_t features = 1u << HD_GEN_ATOMIC | 1u << HD_GEN_ORDERS | 1u << HD_GEN_RMW;
    uint64_t n = seeds_count(300, 4000);
    for (uint64_t seed = 1; seed <= n; seed++) {
        struct hd_chains c;
        struct hd_err err = {0};
        struct hd_trace *t = make(seed, features, 7 + (uint32_t)(seed % 5));
        assert_int_equal(hd_chains_make(t, 0, &c, &err), HD_OK);
        if (c.t)
            compare_unordered(t, &c, seed);
        hd_chains_fini(&c);
        hd_trace_free(t);
    }
    assert_true(unordered > n / 4); /* else nothing was tried */
}

static bool seed_of(uint64_t seed)
{
    return compare(make(seed, 0, 9 + (uint32_t)(seed % 10)), seed);
}

static void random_traces(void **state)
{
    (void)state;
    const char *one = getenv("HEDDLE_SEED");
    uint64_t n = seeds_count(2500, 30000), tried = 0;
    if (one) {
        seed_of(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= n; seed++)
        tried += seed_of(seed);
    print_message("%llu traces with chains, %llu threads fewer, %llu pairs race, %llu left out\n",
                  (unsigned long long)tried, (unsigned long long)fewer, (unsigned long long)pairs,
                  (unsigned long long)left_out);
    assert_true(tried > n / 2); /* else nothing was tried */
    assert_true(pairs > tried);
    assert_true(left_out * 20 < tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(when),
                                       cmocka_unit_test(random_orders),
                                       cmocka_unit_test(random_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
