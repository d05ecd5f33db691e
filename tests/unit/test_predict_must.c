/* The must-order on random traces: passes that leave out what can give nothing new find what passes
 * find that look at everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "predict/index/must_int.h"
#include "../support/seeds.h"
#include "trace/gen/gen.h"

static void draw_program(struct hd_gen_config *c, struct hd_rng *rng)
{
    c->style = HD_GEN_STYLE_PROGRAM;
    c->events = 300 + hd_rng_below(rng, 3000);
    c->threads = 2 + hd_rng_below(rng, 7);
    c->locations = 1 + hd_rng_below(rng, 40);
    c->locks = 1 + hd_rng_below(rng, 6);
    c->values = 2 + hd_rng_below(rng, 4);
    c->races = hd_rng_below(rng, 4);
}

static void draw_random(struct hd_gen_config *c, struct hd_rng *rng)
{
    c->events = 40 + hd_rng_below(rng, 1200);
    c->threads = 2 + hd_rng_below(rng, 7);
    c->locations = 1 + hd_rng_below(rng, 15);
    c->locks = 1 + hd_rng_below(rng, 4);
    c->values = 1 + hd_rng_below(rng, 5);
    c->features = HD_GEN_ALL & ~(UINT32_C(1) << HD_GEN_EXCLUSION);
    if (hd_rng_chance(rng, 70))
        c->features &= ~(UINT32_C(1) << HD_GEN_OMIT);
    for (uint32_t f = HD_GEN_MUTEX; f < HD_GEN_OMIT; f++)
        if (f != HD_GEN_FORK && hd_rng_chance(rng, 30))
            c->features &= ~(UINT32_C(1) << f);
    if (!(c->features >> HD_GEN_COND & 1))
        c->features &= ~(UINT32_C(1) << HD_GEN_TIMEOUT);
}

static struct hd_trace *draw(uint64_t seed)
{
    struct hd_gen_config c;
    struct hd_rng rng;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_rng_init(&rng, ~seed);
    hd_gen_defaults(&c);
    c.seed = seed;
    c.control = hd_rng_chance(&rng, 80) ? HD_GEN_CONTROL_BRANCHES : HD_GEN_CONTROL_MIXED;
    if (seed % 2)
        draw_program(&c, &rng);
    else
        draw_random(&c, &rng);
    if (hd_gen(&c, &t, &err) != HD_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    return t;
}

static bool same(const struct hd_must *m, hd_eid e, const uint32_t *x, const uint32_t *y)
{
    for (size_t u = 0; u < m->threads; u++)
        if (u != m->t->thread[e] && x[u] != y[u])
            return false;
    return true;
}

/* How many events need some other one. */
static size_t compare(uint64_t seed, const struct hd_must *m, const struct hd_must *plain)
{
    size_t bound = 0;
    for (hd_eid e = 0; e < m->t->n_events; e++) {
        const uint32_t *fresh = hd_must_fresh(m, e), *other = hd_must_fresh(plain, e);
        hd_tid u = m->t->thread[e];
        uint32_t pos = m->t->pos[e];
        bool all = m->t->control == HD_CONTROL_ALL ||
                   same(m, e, hd_must_all_fresh(m, u, pos), hd_must_all_fresh(plain, u, pos));
        if (!same(m, e, hd_must_clock(m, e), hd_must_clock(plain, e)) || !all || !fresh != !other ||
            (fresh && !same(m, e, fresh, other)))
            fail_msg("seed %llu: event %u needs another part", (unsigned long long)seed, e + 1);
        bound += !same(m, e, hd_must_clock(m, e), m->pool.data); /* which begins with zeros */
    }
    return bound;
}

static void passes_that_leave_out_find_the_same(void **state)
{
    (void)state;
    struct seeds s = seeds_given(400, 40000);
    size_t bound = 0, compared = 0;
    for (uint64_t seed = s.from; seed < s.end; seed++) {
        struct hd_trace *t = draw(seed);
        struct hd_world *w = hd_world_new(t);
        bool whole;
        struct hd_must *plain = hd_must_new_plain(w, &whole);
        if (whole) {
            bound += compare(seed, w->must, plain);
            compared += t->n_events;
        }
        hd_must_free(plain);
        hd_world_free(w);
        hd_trace_free(t);
    }
    printf("%zu events compared, %zu need others\n", compared, bound);
    assert_true(compared / 4 < bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_that_leave_out_find_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
