/* The builder: what the readers rely on and text tests do not reach: limits, reuse of records,
 * indices, the settling of values, and freeing at any moment. */
#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/stop.h"
#include "trace/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static hd_tid thread(struct hd_builder *b, const char *name)
{
    hd_tid id;
    assert_int_equal(hd_builder_thread(b, name, strlen(name), &id, NULL), HD_OK);
    return id;
}

static uint32_t obj(struct hd_builder *b, enum hd_obj_kind kind, const char *name)
{
    return hd_builder_obj(b, kind, name, strlen(name));
}

static hd_eid add(struct hd_builder *b, struct hd_event ev)
{
    struct hd_err err = {0};
    if (hd_builder_add(b, &ev, &err) != HD_OK)
        fail_msg("%s", err.text);
    return (hd_eid)hd_builder_count(b) - 1;
}

static struct hd_trace *finish(struct hd_builder *b)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_builder_finish(b, &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    return t;
}

static void test_free_early(void **state)
{
    (void)state;
    hd_builder_free(NULL);
    hd_builder_free(hd_builder_new());
    struct hd_builder *b = hd_builder_new();
    hd_tid t = thread(b, "t");
    uint32_t x = obj(b, HD_OBJ_LOC, "x");
    hd_eid read = add(b, (struct hd_event){.op = HD_OP_READ, .thread = t, .obj = x});
    add(b, (struct hd_event){.op = HD_OP_RMW, .thread = t, .obj = x, .deps = {true, 1, &read}});
    hd_builder_free(b);
    assert_int_equal(hd_alloc_in_use(), 0);
}

static void test_thread_limit(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_err err = {0};
    hd_tid id;
    char name[16];
    for (unsigned i = 0; i < HD_MAX_THREADS; i++) {
        size_t len = (size_t)snprintf(name, sizeof name, "%u", i);
        assert_int_equal(hd_builder_thread(b, name, len, &id, &err), HD_OK);
        assert_int_equal(id, i);
    }
    assert_int_equal(hd_builder_thread(b, "0", 1, &id, &err), HD_OK);
    assert_int_equal(id, 0);
    assert_int_equal(hd_builder_thread(b, "one more", 8, &id, &err), HD_ERR_LIMIT);
    assert_non_null(strstr(err.text, "more than 1048575 threads"));
    hd_builder_free(b);
}

static void add_some(struct hd_builder *b, hd_tid u, hd_tid v)
{
    uint32_t x = obj(b, HD_OBJ_LOC, "x"), l = obj(b, HD_OBJ_LOCK, "l");
    struct hd_err err = {0};
    hd_eid e[2];
    assert_int_equal(hd_builder_sem(b, obj(b, HD_OBJ_SEM, "s"), 2, &err), HD_OK);
    e[0] = add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x});
    e[1] = add(b, (struct hd_event){
                      .op = HD_OP_READ, .thread = u, .obj = x, .has_value = true, .value = 7});
    add(b, (struct hd_event){.op = HD_OP_WRITE, .thread = u, .obj = x, .deps = {true, 2, e}});
    add(b, (struct hd_event){.op = HD_OP_RMW, .thread = u, .obj = x});
    add(b, (struct hd_event){.op = HD_OP_FORK, .thread = u, .obj = v});
    add(b, (struct hd_event){.op = HD_OP_ACQ, .thread = v, .obj = l});
}

/* A builder that was used before gives what a new one does. */
static void test_restart(void **state)
{
    (void)state;
    struct hd_trace *t[2];
    for (int i = 0; i < 2; i++) {
        struct hd_builder *b = hd_builder_new();
        hd_tid u = thread(b, "u"), v = thread(b, "v");
        if (i) {
            add_some(b, u, v);
            uint32_t m = obj(b, HD_OBJ_LOCK, "l"), c = obj(b, HD_OBJ_COND, "c");
            add(b, (struct hd_event){.op = HD_OP_WAIT, .thread = v, .obj = c, .lock = m});
            hd_builder_restart(b);
            assert_int_equal(hd_builder_count(b), 0);
        }
        add_some(b, u, v);
        t[i] = finish(b);
    }
    assert_int_equal(t[0]->n_events, t[1]->n_events);
    assert_int_equal(t[0]->n_dep_pool, t[1]->n_dep_pool);
    for (size_t e = 0; e < t[0]->n_events; e++) {
        assert_int_equal(t[0]->val[e], t[1]->val[e]);
        assert_int_equal(t[0]->flags[e], t[1]->flags[e]);
        assert_int_equal(t[0]->dep[e], t[1]->dep[e]);
        assert_int_equal(t[0]->pos[e], t[1]->pos[e]);
    }
    assert_int_equal(t[0]->n_rmw, t[1]->n_rmw);
    assert_int_equal(t[0]->fork_of[1], t[1]->fork_of[1]);
    size_t n[2];
    for (int i = 0; i < 2; i++)
        hd_trace_obj_events(t[i], HD_OBJ_LOC, 0, &n[i]);
    assert_int_equal(n[0], n[1]);
    hd_trace_free(t[0]);
    hd_trace_free(t[1]);
    assert_int_equal(hd_alloc_in_use(), 0);
}

/* Equal sets are one record; an empty addr is no record at all. */
static void test_records(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    hd_tid u = thread(b, "t");
    uint32_t x = obj(b, HD_OBJ_LOC, "x");
    hd_eid e[6];
    e[0] = add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x});
    e[1] = add(b, (struct hd_event){.op = HD_OP_BRANCH, .thread = u, .deps = {true, 1, &e[0]}});
    e[2] = add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x});
    e[3] = add(b, (struct hd_event){.op = HD_OP_BRANCH, .thread = u, .deps = {true, 1, &e[2]}});
    e[4] =
        add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x, .addr = {true, 0, NULL}});
    hd_eid three[] = {e[4], e[0], e[4], e[2]};
    e[5] = add(b, (struct hd_event){.op = HD_OP_BRANCH, .thread = u, .deps = {true, 4, three}});
    struct hd_trace *t = finish(b);
    assert_int_not_equal(t->dep[e[1]], 0);
    assert_int_equal(t->dep[e[1]], t->dep[e[3]]);
    assert_int_equal(t->dep[e[4]], 0);
    struct hd_deps deps = hd_trace_deps(t, e[5], HD_DEP_CONTROL);
    assert_false(deps.all);
    assert_int_equal(deps.n, 3);
    assert_int_equal(deps.dist[0], 1);
    assert_int_equal(deps.dist[1], 3);
    assert_int_equal(deps.dist[2], 5);
    assert_int_equal(hd_trace_back(t, e[5], deps.dist[2]), e[0]);
    hd_trace_free(t);
}

static void test_indices(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    hd_tid u = thread(b, "u"), v = thread(b, "v");
    uint32_t l = obj(b, HD_OBJ_LOCK, "l"), m = obj(b, HD_OBJ_LOCK, "m");
    uint32_t c = obj(b, HD_OBJ_COND, "c");
    size_t n;
    add(b, (struct hd_event){.op = HD_OP_ACQ, .thread = u, .obj = m});
    add(b, (struct hd_event){.op = HD_OP_FORK, .thread = u, .obj = v});
    add(b, (struct hd_event){.op = HD_OP_WAIT, .thread = u, .obj = c, .lock = m});
    add(b, (struct hd_event){.op = HD_OP_ACQ, .thread = v, .obj = l});
    add(b, (struct hd_event){.op = HD_OP_TMO, .thread = u, .obj = c, .lock = m});
    struct hd_trace *t = finish(b);
    const hd_eid *events = hd_trace_thread_events(t, v, &n);
    assert_int_equal(n, 1);
    assert_int_equal(events[0], 3);
    events = hd_trace_obj_events(t, HD_OBJ_LOCK, m, &n);
    assert_int_equal(n, 3);
    assert_int_equal(events[0], 0);
    assert_int_equal(events[1], 2);
    assert_int_equal(events[2], 4);
    events = hd_trace_obj_events(t, HD_OBJ_COND, c, &n);
    assert_int_equal(n, 2);
    assert_int_equal(t->fork_of[v], 1);
    assert_int_equal(t->fork_of[u], HD_EID_NONE);
    assert_int_equal(t->pos[4], 3);
    assert_int_equal(hd_trace_lock(t, 4), m);
    hd_trace_free(t);
}

/* Reads of the initial value that come before the read that names it. */
static void test_initial_values(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_err err = {0};
    hd_tid u = thread(b, "u");
    uint32_t x = obj(b, HD_OBJ_LOC, "x"), y = obj(b, HD_OBJ_LOC, "y"), z = obj(b, HD_OBJ_LOC, "z");
    assert_int_equal(hd_builder_init(b, z, 4, &err), HD_OK);
    assert_int_equal(hd_builder_init(b, z, 4, &err), HD_OK);
    add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x});
    add(b, (struct hd_event){.op = HD_OP_AREAD, .thread = u, .obj = y});
    add(b,
        (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x, .has_value = true, .value = 9});
    add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = x});
    add(b, (struct hd_event){.op = HD_OP_RMW, .thread = u, .obj = y});
    add(b, (struct hd_event){.op = HD_OP_READ, .thread = u, .obj = z});
    struct hd_trace *t = finish(b);
    struct hd_value nine = {9, false}, four = {4, false};
    assert_true(hd_value_eq(hd_trace_read_value(t, 0), nine));
    assert_true(hd_value_eq(hd_trace_read_value(t, 3), nine));
    assert_true(hd_value_eq(t->loc_init[x].value, nine));
    assert_true(hd_value_eq(hd_trace_read_value(t, 1), hd_trace_read_value(t, 4)));
    assert_true(hd_trace_read_value(t, 1).unique);
    assert_false(hd_value_eq(hd_trace_read_value(t, 4), hd_trace_write_value(t, 4)));
    assert_true(hd_value_eq(hd_trace_read_value(t, 5), four));
    assert_int_equal(t->loc_init[z].how, HD_INIT_GIVEN);
    hd_trace_free(t);
}

static void test_barrier_without_size(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    obj(b, HD_OBJ_BARRIER, "b");
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_ERR_INPUT);
    assert_null(t);
    assert_non_null(strstr(err.text, "barrier b has no size"));
}

/* Building the indices of a long trace takes seconds: who asks to stop does not wait for them. */
static void test_stop(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    hd_tid u = thread(b, "t");
    obj(b, HD_OBJ_SEM, "s");
    add(b, (struct hd_event){.thread = u, .op = HD_OP_READ, .obj = obj(b, HD_OBJ_LOC, "x")});
    struct hd_stop_scope around = hd_stop_begin(0, 0);
    hd_interrupt_catch();
    hd_interrupt_request();
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_ERR_STOPPED);
    assert_null(t);
    assert_int_equal(hd_stop_end(around), HD_STOP_ASKED);
    hd_interrupt_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_free_early),
        cmocka_unit_test(test_thread_limit),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_barrier_without_size),
        cmocka_unit_test(test_stop),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || hd_alloc_in_use() != 0;
}
