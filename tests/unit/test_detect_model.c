/* The detectors against docs/MODEL.md: filters never drop a race, the sound ones report only races,
 * and the inclusions between them hold. Races come from the enumerator; must-happen-before is also
 * checked event by event on random schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "detect/detect.h"
#include "detect/filters/locksets.h"
#include "detect/filters/mhb.h"
#include "model/enumerate.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

enum { LOCKSET, LAH, MHB, QUICK, HB, SHB, CP, WCP, SYNCP, MAX, N_SETS };
static const char *const names[N_SETS] = {"lockset", "lah", "mhb", "quick", "hb",
                                          "shb",     "cp",  "wcp", "syncp", "max"};

static struct hd_trace *make(uint64_t seed, uint32_t events)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_small(seed, &config);
    if (events)
        config.events = events;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

static void run(const struct hd_trace *t, const char *name, struct hd_pairs *pairs)
{
    struct hd_detect_opts opts = {.pairs = true};
    struct hd_detect_result r;
    struct hd_err err;
    assert_int_equal(hd_detector_find(name)->run(t, &opts, &r, &err), HD_OK);
    hd_pairs_fini(&r.places);
    *pairs = r.pairs;
}

/* False when the trace has too many states. */
static bool enumerate(const struct hd_trace *t, struct hd_pairs *pairs)
{
    struct hd_enum_opts opts = {.max_states = 20000};
    struct hd_enum_result r;
    struct hd_err err;
    if (hd_enumerate(t, &opts, &r, &err) != HD_OK)
        return false;
    for (size_t i = 0; i < r.n_pairs; i++)
        hd_pairs_push(pairs, r.pairs[i].a, r.pairs[i].b);
    hd_enum_result_fini(&r);
    hd_pairs_sort(pairs);
    return true;
}

static void within(const struct hd_trace *t, uint64_t seed, struct hd_pairs set[], int x, int y)
{
    struct hd_pair p;
    if (hd_pairs_subset(&set[x], &set[y], &p))
        return;
    hd_text_write(t, stderr, NULL);
    fail_msg("seed %llu: %u-%u is in %s but not in %s", (unsigned long long)seed, p.a + 1, p.b + 1,
             names[x], names[y]);
}

static bool has_atomics(const struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++)
        if (hd_op_is_atomic(t->op[e]))
            return true;
    return false;
}

static void laws(const struct hd_trace *t, uint64_t seed, struct hd_pairs set[])
{
    within(t, seed, set, LAH, LOCKSET);
    within(t, seed, set, QUICK, LOCKSET);
    within(t, seed, set, QUICK, MHB);
    within(t, seed, set, HB, CP);
    within(t, seed, set, CP, WCP);
    within(t, seed, set, SHB, SYNCP);
    if (!has_atomics(t))
        within(t, seed, set, SHB, HB);
}

static void inclusions_hold(void **state)
{
    (void)state;
    unsigned judged = 0;
    uint64_t races = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct hd_trace *t = make(seed, 0);
        struct hd_pairs set[N_SETS] = {{0}};
        for (int i = 0; i < MAX; i++)
            run(t, names[i], &set[i]);
        laws(t, seed, set);
        if (enumerate(t, &set[MAX])) {
            judged++;
            races += set[MAX].len;
            within(t, seed, set, MAX, LOCKSET);
            within(t, seed, set, MAX, LAH);
            within(t, seed, set, MAX, MHB);
            within(t, seed, set, MAX, QUICK);
            within(t, seed, set, SHB, MAX);
            within(t, seed, set, SYNCP, MAX);
        }
        for (int i = 0; i < N_SETS; i++)
            hd_pairs_fini(&set[i]);
        hd_trace_free(t);
    }
    assert_true(judged > 3000);
    assert_true(races > 3000);
}

/* A random enabled event, or HD_EID_NONE. */
static hd_eid pick(const struct hd_state *s, struct hd_rng *rng)
{
    const struct hd_trace *t = s->t;
    uint32_t threads = (uint32_t)hd_trace_n_threads(t), start = hd_rng_below(rng, threads);
    for (uint32_t i = 0; i < threads; i++) {
        hd_tid u = (start + i) % threads;
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        uint32_t next = s->thread[u].next;
        if (next < n && hd_state_enabled(s, events[next]))
            return events[next];
    }
    return HD_EID_NONE;
}

static hd_tid pick_waiter(const struct hd_state *s, hd_eid e, struct hd_rng *rng)
{
    hd_tid chosen = HD_TID_NONE;
    uint32_t n = 0;
    if (s->t->op[e] != HD_OP_SIG)
        return HD_TID_NONE;
    for (hd_tid u = hd_state_first_waiter(s, s->t->obj[e]); u != HD_TID_NONE;
         u = hd_state_next_waiter(s, u))
        if (hd_rng_below(rng, ++n) == 0)
            chosen = u;
    return chosen;
}

static void check_step(const struct hd_state *s, const struct hd_mhb *m,
                       const struct hd_locksets *ls, hd_eid e, uint64_t seed)
{
    const struct hd_trace *t = s->t;
    for (hd_eid a = 0; a < t->n_events; a++) {
        if (a != e && hd_mhb_ordered(m, a, e) && !hd_state_ran(s, a)) {
            hd_text_write(t, stderr, NULL);
            fail_msg("seed %llu: %u ran before %u", (unsigned long long)seed, e + 1, a + 1);
        }
        if (t->thread[a] != t->thread[e] && s->thread[t->thread[a]].next == t->pos[a] &&
            hd_state_enabled(s, a) && hd_locksets_exclude(ls, a, e)) {
            hd_text_write(t, stderr, NULL);
            fail_msg("seed %llu: %u and %u are both enabled", (unsigned long long)seed, e + 1,
                     a + 1);
        }
    }
}

/* One random schedule as far as it goes. */
static void random_schedule(struct hd_state *s, const struct hd_mhb *m,
                            const struct hd_locksets *ls, struct hd_rng *rng, uint64_t seed)
{
    hd_eid ran[128], e;
    size_t n = 0;
    while ((e = pick(s, rng)) != HD_EID_NONE) {
        check_step(s, m, ls, e, seed);
        hd_state_step(s, e, pick_waiter(s, e, rng));
        ran[n++] = e;
    }
    hd_state_rewind(s, ran, n);
}

static void orders_that_must_hold_do_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct hd_trace *t = make(seed, 20 + (uint32_t)(seed % 40));
        struct hd_mhb *m = hd_mhb_new(t);
        struct hd_locksets *ls = seed % 2 ? hd_locksets_new(t) : hd_locksets_new_histories(t);
        struct hd_layout layout;
        struct hd_state s;
        struct hd_rng rng;
        hd_rng_init(&rng, seed);
        hd_layout_init(&layout, t);
        hd_state_init(&s, &layout);
        for (int i = 0; i < 30; i++)
            random_schedule(&s, m, ls, &rng, seed);
        hd_state_fini(&s);
        hd_layout_fini(&layout);
        hd_locksets_free(ls);
        hd_mhb_free(m);
        hd_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inclusions_hold),
        cmocka_unit_test(orders_that_must_hold_do_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
