/* Parts of the search over schedules that need no program: behaviours, warnings, states of
 * executions, guards of memory, the state of a search in a file. */
#include "explore/behaviour.h"
#include "explore/guard.h"
#include "explore/lead_int.h"
#include "explore/search_state.h"
#include "explore/trail.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hd_trace *parse(const char *text)
{
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    assert_int_equal(hd_text_read(text, strlen(text), "test", &t, &err), HD_OK);
    return t;
}

static uint64_t behaviour(const char *text)
{
    struct hd_trace *t = parse(text);
    uint64_t number = hd_behaviour(t);
    hd_trace_free(t);
    return number;
}

/* ---- behaviours ---- */

static void test_behaviours(void **state)
{
    (void)state;
    uint64_t one = behaviour("T1|acq(l)|a:1\nT1|w(x,1)|a:2\nT1|rel(l)|a:3\n"
                             "T2|acq(l)|a:1\nT2|w(x,2)|a:2\nT2|rel(l)|a:3\n");
    /* Another order of plain accesses, other values: the same. */
    assert_true(behaviour("T1|w(x,1)|a:1\nT2|w(y,1)|b:1\n") ==
                behaviour("T2|w(y,3)|b:1\nT1|w(x,2)|a:1\n"));
    /* Another order of the lock, another place: different. */
    assert_false(one == behaviour("T2|acq(l)|a:1\nT2|w(x,2)|a:2\nT2|rel(l)|a:3\n"
                                  "T1|acq(l)|a:1\nT1|w(x,1)|a:2\nT1|rel(l)|a:3\n"));
    assert_false(one == behaviour("T1|acq(l)|a:1\nT1|w(x,1)|a:9\nT1|rel(l)|a:3\n"
                                  "T2|acq(l)|a:1\nT2|w(x,2)|a:2\nT2|rel(l)|a:3\n"));
    /* They go to files: the number may not change. */
    assert_true(behaviour("T1|w(x,1)|a:1\n") == UINT64_C(0x484da4bcf8ae13ab));
}

static void test_set_of_behaviours(void **state)
{
    struct hd_behaviours b;
    (void)state;
    hd_behaviours_init(&b);
    assert_true(hd_behaviours_add(&b, 7));
    assert_true(hd_behaviours_add(&b, 5));
    assert_false(hd_behaviours_add(&b, 7));
    assert_int_equal(b.list.len, 2);
    assert_int_equal(*(uint64_t *)hd_vec_at(&b.list, 1), 5);
    hd_behaviours_fini(&b);
}

/* ---- warnings ---- */

static struct hd_vec warnings_of(const struct hd_trace *t)
{
    struct hd_vec list = HD_VEC_INIT(struct hd_warning);
    hd_lead_warnings(t, &list);
    return list;
}

static void free_warnings(struct hd_vec *list)
{
    for (size_t i = 0; i < list->len; i++)
        hd_vec_fini(&((struct hd_warning *)hd_vec_at(list, i))->candidates);
    hd_vec_fini(list);
}

static void test_warnings(void **state)
{
    (void)state;
    /* x is written under l and read without: the last write before the read is tried first. */
    struct hd_trace *t = parse("T1|acq(l)|a:1\nT1|w(x,1)|a:2\nT1|rel(l)|a:3\n"
                               "T1|acq(l)|a:1\nT1|w(x,2)|a:2\nT1|rel(l)|a:3\n"
                               "T2|r(x,2)|b:1\n"
                               "T1|acq(l)|a:1\nT1|w(x,3)|a:2\nT1|rel(l)|a:3\n");
    struct hd_vec list = warnings_of(t);
    assert_int_equal(list.len, 1);
    const struct hd_warning *w = hd_vec_at(&list, 0);
    const struct hd_candidate *c = w->candidates.data;
    assert_string_equal(w->places[0], "a:2");
    assert_string_equal(w->places[1], "b:1");
    /* The read can be a1, too: the third write comes after it. */
    assert_int_equal(w->candidates.len, 3);
    assert_int_equal(c[0].event, 6);
    assert_int_equal(c[1].event, 4);
    assert_int_equal(c[2].event, 1);
    free_warnings(&list);
    hd_trace_free(t);
}

static void test_no_warnings(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "T1|acq(l)|a\nT1|w(x,1)|a\nT1|rel(l)|a\nT2|acq(l)|b\nT2|r(x,1)|b\nT2|rel(l)|b\n",
        "T1|r(x,0)|a:1\nT2|r(x,0)|b:1\n",      /* nobody writes */
        "T1|w(x,1)|a:1\nT1|r(x,1)|b:1\n",      /* one thread */
        "T1|aw(x,1)|a:1\nT2|rmw(x,1,2)|b:1\n", /* both atomic */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hd_trace *t = parse(texts[i]);
        struct hd_vec list = warnings_of(t);
        assert_int_equal(list.len, 0);
        free_warnings(&list);
        hd_trace_free(t);
    }
}

/* ---- executions made by hand ---- */

struct made {
    struct hd_exec_run run;
};

static void add(struct made *m, uint16_t thread, unsigned kind, uint64_t addr, uint64_t value)
{
    struct hd_steer_op op = {.addr = addr,
                             .value = value,
                             .site = addr + kind,
                             .size = kind <= HD_LOG_RMW ? 4 : 0,
                             .thread = thread,
                             .kind = (uint8_t)kind};
    *(struct hd_exec_step *)hd_vec_push(&m->run.steps) =
        (struct hd_exec_step){.thread = thread, .first = (uint32_t)m->run.ops.len, .n = 1};
    *(struct hd_exec_op *)hd_vec_push(&m->run.ops) = (struct hd_exec_op){.op = op, .raw = op};
}

static uint64_t mark_of(const struct made *m)
{
    struct hd_trail t;
    hd_trail_init(&t);
    hd_trail_restart(&t);
    for (size_t i = 0; i < m->run.steps.len; i++)
        hd_trail_step(&t, &m->run, hd_run_step(&m->run, i));
    uint64_t mark = hd_trail_mark(&t);
    hd_trail_fini(&t);
    return mark;
}

/* Two threads write different memory, in either order; then one reads `value` at 100. */
static uint64_t mark(bool turned, uint64_t value, uint64_t last)
{
    struct made m;
    hd_exec_run_init(&m.run);
    add(&m, turned ? 2 : 1, HD_LOG_WRITE, turned ? 200 : 100, 5);
    add(&m, turned ? 1 : 2, HD_LOG_WRITE, turned ? 100 : 200, 5);
    add(&m, 3, HD_LOG_READ, 100, value);
    add(&m, 1, HD_LOG_WRITE, 300, last);
    uint64_t number = mark_of(&m);
    hd_exec_run_fini(&m.run);
    return number;
}

static void test_trail(void **state)
{
    (void)state;
    assert_true(mark(false, 5, 1) == mark(true, 5, 1));   /* nobody can tell the order */
    assert_false(mark(false, 5, 1) == mark(false, 6, 1)); /* a thread has seen something else */
    assert_false(mark(false, 5, 1) == mark(false, 5, 2)); /* memory holds something else */
}

static void test_guards(void **state)
{
    struct made m;
    struct hd_guards g;
    struct hd_steer_op fresh, guarded = {.addr = 100, .size = 4}, open = {.addr = 202, .size = 1};
    (void)state;
    hd_exec_run_init(&m.run);
    hd_guards_init(&g);
    add(&m, 0, HD_LOG_WRITE, 100, 1); /* nobody else is there yet */
    add(&m, 0, HD_LOG_FORK, 1, 0);
    for (uint16_t t = 0; t < 2; t++) {
        add(&m, t, HD_LOG_ACQ, 900, 0);
        add(&m, t, HD_LOG_WRITE, 100, t);
        add(&m, t, HD_LOG_REL, 900, 0);
        add(&m, t, t ? HD_LOG_WRITE : HD_LOG_READ, 200, t);
    }
    assert_true(hd_guards_see(&g, &m.run, &fresh));
    assert_int_equal(fresh.addr, 200);
    assert_false(hd_guards_open(&g, &guarded));
    assert_true(hd_guards_open(&g, &open));
    assert_false(hd_guards_see(&g, &m.run, &fresh)); /* nothing new the second time */
    for (uint64_t v = 10; v < 20; v++)               /* other values are new for a while */
        add(&m, 1, HD_LOG_WRITE, 200, v);
    assert_true(hd_guards_see(&g, &m.run, &fresh));
    assert_false(hd_guards_see(&g, &m.run, &fresh));
    hd_guards_fini(&g);
    hd_exec_run_fini(&m.run);
}

/* ---- the state of a search ---- */

static const char *file_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/explore-%s", HD_TEST_TMP, name);
    return path;
}

static void test_state_round_trip(void **state)
{
    char *argv[] = {(char *)"./prog", (char *)"x", (char *)"x", (char *)"a \"b\"\n", NULL};
    struct hd_search_state s, back;
    struct hd_err err = {0};
    (void)state;
    hd_search_state_init(&s);
    hd_search_state_program(&s, "pct", argv);
    s.seed = 3;
    s.executions = 41;
    s.complete = true;
    s.sample.done = 17;
    s.sample.length = 99;
    hd_behaviours_add(&s.sample.seen, UINT64_MAX);
    hd_behaviours_add(&s.sample.seen, 1);
    hd_names_add(&s.settled, "a.c:1 b.c:2 2", 13);
    assert_int_equal(hd_search_state_save(&s, file_of("state.json"), &err), HD_OK);
    assert_int_equal(hd_search_state_load(&back, file_of("state.json"), &err), HD_OK);
    assert_string_equal(hd_names_text(&back.strategy, 0), "pct");
    assert_int_equal(back.words.len, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(hd_names_text(&back.program, back.words.data[i]), argv[i]);
    assert_int_equal(back.seed, 3);
    assert_int_equal(back.executions, 41);
    assert_true(back.complete);
    assert_int_equal(back.sample.done, 17);
    assert_int_equal(back.sample.length, 99);
    assert_false(hd_behaviours_add(&back.sample.seen, UINT64_MAX));
    assert_true(hd_behaviours_add(&back.sample.seen, 2));
    assert_string_equal(hd_names_text(&back.settled, 0), "a.c:1 b.c:2 2");
    hd_search_state_fini(&back);
    hd_search_state_fini(&s);
    unlink(file_of("state.json"));
}

static void test_state_refused(void **state)
{
    static const char head[] = "{\"schema\": \"heddle-explore-1\", \"strategy\": \"pct\", "
                               "\"complete\": false, \"seed\": 1, \"executions\": 1, "
                               "\"milliseconds\": 1, \"peak_kilobytes\": 1, \"done\": 1, ";
    static const char *const rests[] = {
        "\"length\": -1, \"program\": [\"p\"], \"seen\": [], \"settled\": []}",
        "\"length\": 1, \"program\": [], \"seen\": [], \"settled\": []}",
        "\"length\": 1, \"program\": [\"p\"], \"seen\": [\"xyz\"], \"settled\": []}",
        "\"length\": 1, \"program\": [\"p\"], \"seen\": [], \"settled\": [3]}",
        "\"length\": 1, \"program\": [\"p\"], \"seen\": []}",
        "no JSON",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        struct hd_search_state s;
        struct hd_err err = {0};
        FILE *f = fopen(file_of("bad.json"), "w");
        assert_non_null(f);
        fprintf(f, "%s%s\n", head, rests[i]);
        fclose(f);
        assert_int_equal(hd_search_state_load(&s, file_of("bad.json"), &err), HD_ERR_INPUT);
        assert_non_null(strstr(err.text, "not the state of a search"));
        hd_search_state_fini(&s);
    }
    unlink(file_of("bad.json"));
    struct hd_search_state s;
    struct hd_err err = {0};
    assert_int_equal(hd_search_state_load(&s, file_of("bad.json"), &err), HD_ERR_IO);
    hd_search_state_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_behaviours),
        cmocka_unit_test(test_set_of_behaviours),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_no_warnings),
        cmocka_unit_test(test_trail),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_state_round_trip),
        cmocka_unit_test(test_state_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
