/* Groups all of whose accesses are made under one lock: held against their bundles one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "predict/index/candidates.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#include <string.h>

static bool all_excluded(const struct hd_world *w, const struct hd_candidates *c,
                         const struct hd_group *group)
{
    struct hd_bundle_walk walk = hd_bundle_walk(c, group);
    bool all = true;
    for (struct hd_bundle b; hd_bundle_next(&walk, &b);) {
        const struct hd_class *x = hd_class_at(c, b.x), *y = hd_class_at(c, b.y);
        bool excluded = hd_sections_exclude(w->sections, c->events[x->start], c->events[y->start]);
        assert_int_equal(
            hd_sections_locksets_exclude(w->sections, x->lockset, x->held, y->lockset, y->held),
            excluded);
        all &= excluded;
    }
    return all;
}

/* How many groups of the trace have one lock; *all: how many are excluded by locks at all. */
static size_t judge(const struct hd_trace *t, size_t *all)
{
    struct hd_world *w = hd_world_new(t);
    struct hd_candidates *c = hd_candidates_new(w);
    size_t found = 0;
    for (size_t i = 0; i < c->groups.len; i++) {
        const struct hd_group *group = hd_vec_at(&c->groups, i);
        bool one = hd_candidates_one_lock(c, w->sections, group);
        bool excluded = all_excluded(w, c, group);
        assert_true(excluded || !one);
        found += one;
        *all += excluded;
    }
    hd_candidates_free(c);
    hd_world_free(w);
    return found;
}

static void one_lock_excludes_every_bundle(void **state)
{
    (void)state;
    size_t found = 0, all = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct hd_gen_config config;
        struct hd_trace *t;
        struct hd_err err;
        hd_gen_defaults(&config);
        config.seed = seed;
        config.threads = 2 + seed % 3;
        config.locks = 1 + seed % 2;
        config.events = 60;
        assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
        found += judge(t, &all);
        hd_trace_free(t);
    }
    assert_true(found > 500 && found <= all);
}

static void sides_of_a_lock(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t found;
    } cases[] = {
        {"t1|acq(l)|p:1\nt1|w(x,1)|p:2\nt1|rel(l)|p:3\n"
         "t2|acq(l)|p:4\nt2|w(x,2)|p:5\nt2|rel(l)|p:6\n",
         1},
        {"t1|racq(l)|p:1\nt1|w(x,1)|p:2\nt1|rrel(l)|p:3\n" /* readers that write */
         "t2|racq(l)|p:4\nt2|w(x,2)|p:5\nt2|rrel(l)|p:6\n",
         0},
        {"t1|acq(l)|p:1\nt1|w(x,1)|p:2\nt1|rel(l)|p:3\n"
         "t2|acq(m)|p:4\nt2|w(x,2)|p:5\nt2|rel(m)|p:6\n",
         0},
        {"t1|acq(l)|p:1\nt1|acq(m)|p:1\nt1|w(x,1)|p:2\nt1|rel(m)|p:3\nt1|rel(l)|p:3\n"
         "t2|acq(m)|p:4\nt2|w(x,2)|p:5\nt2|rel(m)|p:6\n",
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_trace *t;
        size_t all = 0;
        assert_int_equal(hd_text_read(cases[i].text, strlen(cases[i].text), "x", &t, NULL), HD_OK);
        assert_int_equal(judge(t, &all), cases[i].found);
        hd_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lock_excludes_every_bundle),
        cmocka_unit_test(sides_of_a_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
