/* The generator: consistent by the judgement of model/, which shares no code with it; the same
 * trace for the same seed; what is asked for occurs and what is not asked for does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/check.h"
#include "model/enumerate.h"
#include "trace/gen/gen.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 10000 };

static struct hd_trace *make(const struct hd_gen_config *config)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_gen(config, &t, &err) != HD_OK)
        fail_msg("seed %llu: %s", (unsigned long long)config->seed, err.text);
    return t;
}

static void assert_consistent(const struct hd_trace *t, const struct hd_gen_config *config)
{
    struct hd_err err = {0};
    hd_eid bad;
    if (hd_check_trace(t, &bad, &err) != HD_OK)
        fail_msg(
            "heddle trace gen --seed %llu --threads %u --events %u (features %x): event %u: %s",
            (unsigned long long)config->seed, config->threads, config->events, config->features,
            bad + 1, err.text);
}

/* Counts events by operation over many traces. */
static void count_ops(const struct hd_trace *t, uint64_t *ops)
{
    for (size_t e = 0; e < t->n_events; e++)
        ops[t->op[e]]++;
}

static void small_traces_are_consistent(void **state)
{
    (void)state;
    uint64_t ops[HD_OP_COUNT] = {0}, full = 0, branches = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct hd_gen_config config;
        hd_gen_small(seed, &config);
        struct hd_trace *t = make(&config);
        assert_consistent(t, &config);
        assert_true(t->n_events <= config.events);
        full += t->n_events == config.events;
        branches += t->control == HD_CONTROL_BRANCHES;
        count_ops(t, ops);
        hd_trace_free(t);
    }
    assert_int_equal(ops[HD_OP_FENCE], 0); /* small traces have no orders */
    for (int op = 0; op < HD_OP_FENCE; op++)
        if (ops[op] < 200)
            fail_msg("%s occurs only %llu times in %d traces", hd_op_info[op].text,
                     (unsigned long long)ops[op], SEEDS);
    assert_true(full > SEEDS * 99 / 100);
    assert_in_range(branches, SEEDS / 2, SEEDS * 4 / 5);
}

static void larger_traces_are_consistent(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct hd_gen_config config;
        hd_gen_defaults(&config);
        config.seed = seed;
        config.threads = 1 + (uint32_t)(seed % 12);
        config.events = 1000;
        config.locations = 1 + (uint32_t)(seed % 40);
        config.locks = (uint32_t)(seed % 7);
        config.features = seed % 3 ? HD_GEN_ALL : config.features;
        struct hd_trace *t = make(&config);
        assert_consistent(t, &config);
        assert_int_equal(t->n_events, config.events);
        hd_trace_free(t);
    }
}

static const uint8_t feature_of[HD_OP_COUNT] = {
    [HD_OP_READ] = HD_GEN_READ,       [HD_OP_WRITE] = HD_GEN_WRITE,
    [HD_OP_AREAD] = HD_GEN_ATOMIC,    [HD_OP_AWRITE] = HD_GEN_ATOMIC,
    [HD_OP_RMW] = HD_GEN_RMW,         [HD_OP_BRANCH] = HD_GEN_BRANCH,
    [HD_OP_ACQ] = HD_GEN_MUTEX,       [HD_OP_REL] = HD_GEN_MUTEX,
    [HD_OP_RACQ] = HD_GEN_RWLOCK,     [HD_OP_RREL] = HD_GEN_RWLOCK,
    [HD_OP_TRYFAIL] = HD_GEN_TRYFAIL, [HD_OP_FORK] = HD_GEN_FORK,
    [HD_OP_JOIN] = HD_GEN_JOIN,       [HD_OP_WAIT] = HD_GEN_COND,
    [HD_OP_WAKE] = HD_GEN_COND,       [HD_OP_TMO] = HD_GEN_TIMEOUT,
    [HD_OP_SIG] = HD_GEN_COND,        [HD_OP_BCAST] = HD_GEN_COND,
    [HD_OP_POST] = HD_GEN_SEM,        [HD_OP_SEM] = HD_GEN_SEM,
    [HD_OP_BARIN] = HD_GEN_BARRIER,   [HD_OP_BAROUT] = HD_GEN_BARRIER,
    [HD_OP_BEGIN] = HD_GEN_BLOCK,     [HD_OP_END] = HD_GEN_BLOCK,
    [HD_OP_FENCE] = HD_GEN_ORDERS,
};

static bool nests(const struct hd_trace *t, hd_eid e)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, t->thread[e], &n);
    int depth = 0;
    for (size_t i = 0; i < n && events[i] < e; i++)
        if (t->obj[events[i]] == t->obj[e])
            depth += t->op[events[i]] == HD_OP_ACQ ? 1 : t->op[events[i]] == HD_OP_REL ? -1 : 0;
    return depth > 0;
}

/* The features that one event shows, as a mask. */
static uint32_t features_of(const struct hd_trace *t, hd_eid e)
{
    uint32_t mask = 1u << feature_of[t->op[e]];
    if (hd_op_is_access(t->op[e])) {
        if (t->flags[e] & HD_F_OMITTED)
            mask |= 1u << HD_GEN_OMIT;
        if (hd_op_writes(t->op[e]) && !hd_trace_deps(t, e, HD_DEP_VALUE).all)
            mask |= 1u << HD_GEN_VAL;
        if (hd_trace_deps(t, e, HD_DEP_ADDR).n)
            mask |= 1u << HD_GEN_ADDR;
        if (t->loc_init[t->obj[e]].how == HD_INIT_GIVEN)
            mask |= 1u << HD_GEN_INIT;
    }
    if (t->op[e] == HD_OP_BRANCH && !hd_trace_deps(t, e, HD_DEP_CONTROL).all)
        mask |= 1u << HD_GEN_DEPS;
    if (hd_trace_order(t, e) != HD_ORDER_SC)
        mask |= 1u << (hd_trace_excludes_only(t, e) ? HD_GEN_EXCLUSION : HD_GEN_ORDERS);
    if (t->op[e] == HD_OP_ACQ && nests(t, e))
        mask |= 1u << HD_GEN_REENTRANT;
    return mask;
}

/* Each feature, switched on together with what it needs, occurs; nothing else does. */
static void features_are_obeyed(void **state)
{
    (void)state;
    for (uint32_t f = 0; f < HD_GEN_FEATURE_COUNT; f++) {
        uint32_t seen = 0, base = 1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX;
        uint32_t asked = base | 1u << f;
        if (f == HD_GEN_DEPS)
            asked |= 1u << HD_GEN_BRANCH;
        if (f == HD_GEN_TIMEOUT)
            asked |= 1u << HD_GEN_COND;
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct hd_gen_config config;
            hd_gen_defaults(&config);
            config.seed = seed;
            config.features = asked;
            struct hd_trace *t = make(&config);
            for (hd_eid e = 0; e < t->n_events; e++)
                seen |= features_of(t, e);
            hd_trace_free(t);
        }
        if (seen != (asked & ~(1u << HD_GEN_SHAPES))) /* that is how the others meet */
            fail_msg("feature %s: asked for %x, saw %x",
                     hd_gen_feature_name((enum hd_gen_feature)f), asked, seen);
    }
}

/* What one trace has of the meetings that HD_GEN_SHAPES is for. */
enum shape {
    OLD_READ,
    TWO_BARRIERS,
    BOTH_SIDES,
    HUGE_SEM,
    TRY_FAILS,
    WAITERS,
    NESTED_WAIT,
    N_SHAPES
};

/* A branch on a read alone, with a write of the same thread to the same location between. */
static bool branches_on_old_read(const struct hd_trace *t, hd_eid e)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, t->thread[e], &n);
    struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_CONTROL);
    if (t->op[e] != HD_OP_BRANCH || deps.all || deps.n != 1)
        return false;
    hd_eid read = hd_trace_back(t, e, deps.dist[0]);
    for (size_t i = 0; i < n && events[i] < e; i++)
        if (events[i] > read && hd_op_writes(t->op[events[i]]) && t->obj[events[i]] == t->obj[read])
            return true;
    return false;
}

static uint32_t shapes_of(const struct hd_trace *t)
{
    uint32_t seen = 0, waiting = 0, sides[64] = {0};
    uint64_t at[8] = {0};
    for (hd_eid e = 0; e < t->n_events; e++) {
        enum hd_op op = t->op[e];
        if (op == HD_OP_BARIN)
            at[t->obj[e]]++;
        waiting += op == HD_OP_WAIT;
        waiting -= op == HD_OP_WAKE || op == HD_OP_TMO;
        if (op == HD_OP_ACQ || op == HD_OP_RACQ)
            sides[t->obj[e]] |= op == HD_OP_ACQ ? 1 : 2;
        uint32_t open = 0;
        for (size_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++)
            open += at[b] % t->barrier_size[b] != 0;
        seen |= (uint32_t)branches_on_old_read(t, e) << OLD_READ;
        seen |= (uint32_t)(open > 1) << TWO_BARRIERS;
        seen |= (uint32_t)(op == HD_OP_ACQ && sides[t->obj[e]] == 3) << BOTH_SIDES;
        seen |= (uint32_t)(op == HD_OP_SEM && t->sem_init[t->obj[e]] > UINT32_MAX) << HUGE_SEM;
        seen |= (uint32_t)(op == HD_OP_TRYFAIL) << TRY_FAILS;
        seen |= (uint32_t)(waiting > 1) << WAITERS;
        seen |= (uint32_t)(op == HD_OP_ACQ && nests(t, e) && e + 1 < t->n_events &&
                           t->op[e + 1] == HD_OP_WAIT)
                << NESTED_WAIT;
    }
    return seen;
}

static void shapes_occur(void **state)
{
    static const char *const names[] = {"old read",       "two barriers", "both sides",
                                        "huge semaphore", "failed try",   "waiters",
                                        "nested wait"};
    enum { TRACES = 600 };
    uint32_t often[N_SHAPES] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        struct hd_gen_config config;
        hd_gen_defaults(&config);
        config.seed = seed;
        config.threads = 4;
        config.features |= 1u << HD_GEN_SHAPES;
        struct hd_trace *t = make(&config);
        assert_consistent(t, &config);
        uint32_t seen = shapes_of(t);
        for (int i = 0; i < N_SHAPES; i++)
            often[i] += seen >> i & 1;
        hd_trace_free(t);
    }
    for (int i = 0; i < N_SHAPES; i++)
        if (often[i] < TRACES / 60)
            fail_msg("%s: in %u of %d traces", names[i], often[i], TRACES);
}

static void assert_same(const struct hd_trace *a, const struct hd_trace *b)
{
    size_t n = a->n_events;
    assert_int_equal(n, b->n_events);
    assert_memory_equal(a->op, b->op, n * sizeof *a->op);
    assert_memory_equal(a->thread, b->thread, n * sizeof *a->thread);
    assert_memory_equal(a->obj, b->obj, n * sizeof *a->obj);
    assert_memory_equal(a->val, b->val, n * sizeof *a->val);
    assert_memory_equal(a->dep, b->dep, n * sizeof *a->dep);
}

static void seeds_decide(void **state)
{
    (void)state;
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.seed = 42;
    struct hd_trace *a = make(&config), *b = make(&config);
    assert_same(a, b);
    config.seed = 43;
    struct hd_trace *c = make(&config);
    assert_true(memcmp(a->op, c->op, a->n_events) != 0);
    hd_trace_free(a);
    hd_trace_free(b);
    hd_trace_free(c);
}

/* Pins the sequence of the generator of random numbers: a seed in a bug report must stay good. */
static void random_numbers_are_pinned(void **state)
{
    (void)state;
    struct hd_rng rng;
    hd_rng_init(&rng, 1);
    uint64_t sum = 0;
    for (int i = 0; i < 1000; i++)
        sum = sum * 31 + hd_rng_next(&rng);
    assert_int_equal(sum, UINT64_C(0x731af672591d877e));
    unsigned seen[6] = {0};
    for (int i = 0; i < 6000; i++)
        seen[hd_rng_below(&rng, 6)]++;
    for (int i = 0; i < 6; i++)
        assert_in_range(seen[i], 850, 1150);
}

static void config_is_checked(void **state)
{
    (void)state;
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_gen_defaults(&config);
    config.threads = 0;
    assert_int_equal(hd_gen(&config, &t, &err), HD_ERR_INPUT);
    assert_null(t);
    assert_string_equal(err.text, "threads must be between 1 and 4096, not 0");
    hd_gen_defaults(&config);
    config.locations = 0;
    assert_int_equal(hd_gen(&config, &t, &err), HD_ERR_INPUT);
    hd_gen_defaults(&config);
    config.style = HD_GEN_STYLE_PROGRAM;
    config.locks = 0;
    assert_int_equal(hd_gen(&config, &t, &err), HD_ERR_INPUT);
}

static void impossible_wishes_end_early(void **state)
{
    (void)state;
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.features = 0;
    struct hd_trace *t = make(&config);
    assert_int_equal(t->n_events, 0);
    hd_trace_free(t);
    config.features = 1u << HD_GEN_TRYFAIL; /* nobody ever holds a lock */
    t = make(&config);
    assert_int_equal(t->n_events, 0);
    hd_trace_free(t);
}

static void programs_are_consistent(void **state)
{
    (void)state;
    uint64_t ops[HD_OP_COUNT] = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct hd_gen_config config;
        hd_gen_defaults(&config);
        config.style = HD_GEN_STYLE_PROGRAM;
        config.seed = seed;
        config.threads = 2 + (uint32_t)(seed % 9);
        config.events = 2000;
        config.locations = 1 + (uint32_t)(seed % 20);
        config.locks = 1 + (uint32_t)(seed % 5);
        config.races = (uint32_t)(seed % 4);
        struct hd_trace *t = make(&config);
        assert_consistent(t, &config);
        assert_in_range(t->n_events, config.events * 9 / 10, config.events * 5 / 4);
        count_ops(t, ops);
        hd_trace_free(t);
    }
    static const enum hd_op expected[] = {
        HD_OP_READ, HD_OP_WRITE, HD_OP_RMW,  HD_OP_BRANCH, HD_OP_ACQ, HD_OP_RACQ,
        HD_OP_FORK, HD_OP_JOIN,  HD_OP_WAIT, HD_OP_WAKE,   HD_OP_SIG, HD_OP_BCAST,
        HD_OP_SEM,  HD_OP_BARIN, HD_OP_POST, HD_OP_BAROUT, HD_OP_END, HD_OP_BEGIN};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(ops[expected[i]] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_traces_are_consistent),
        cmocka_unit_test(larger_traces_are_consistent),
        cmocka_unit_test(features_are_obeyed),
        cmocka_unit_test(shapes_occur),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(random_numbers_are_pinned),
        cmocka_unit_test(config_is_checked),
        cmocka_unit_test(impossible_wishes_end_early),
        cmocka_unit_test(programs_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
