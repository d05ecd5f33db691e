/* Limits that hold whatever Z3 does. This program puts its own function in the place of Z3's check:
 * one that never returns and looks at no interrupt, or one that takes all memory. */
#include "base/interrupt.h"
#include "predict/run/predict.h"
#include "solve/link.h"
#include "solve/solve.h"
#include "solve/wire.h"
#include "trace/text/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <z3.h>

#include <cmocka.h>

enum mode { REAL, STUCK, GREEDY, BROKEN };

/* Shared with the solver's process, which lives longer than one test. */
static struct shared {
    enum mode mode;
    unsigned calls;
} * shared;

Z3_lbool Z3_solver_check_assumptions(Z3_context c, Z3_solver s, unsigned n, Z3_ast const *a)
{
    typedef Z3_lbool (*real_check)(Z3_context, Z3_solver, unsigned, Z3_ast const *);
    real_check real = (real_check)dlsym(RTLD_NEXT, "Z3_solver_check_assumptions");
    __atomic_fetch_add(&shared->calls, 1, __ATOMIC_RELAXED);
    if (shared->mode == BROKEN)
        raise(SIGSEGV);
    while (shared->mode == GREEDY) {
        char *some = malloc(1 << 24);
        if (!some)
            abort(); /* as C++ does */
        memset(some, 1, 1 << 24);
    }
    while (shared->mode == STUCK)
        pause();
    return real(c, s, n, a);
}

static int set_up(void **state)
{
    (void)state;
    shared->mode = REAL;
    shared->calls = 0;
    hd_interrupt_catch(); /* forgets an earlier request */
    return 0;
}

static const struct hd_solver_limits usual = {.memory = (size_t)1 << 30};

static enum hd_sat ask(struct hd_solver *s, double seconds)
{
    hd_lit lit = hd_solver_bool(s);
    return hd_solver_check(s, &lit, 1, seconds);
}

static void test_time(void **state)
{
    (void)state;
    struct hd_solver *s = hd_solver_new(usual);
    assert_int_equal(ask(s, 10), HD_SAT_YES);
    shared->mode = STUCK;
    assert_int_equal(ask(s, 0.2), HD_SAT_UNKNOWN);
    assert_int_equal(hd_solver_lost(s), HD_LOST_TIME);
    shared->mode = REAL;
    assert_int_equal(ask(s, 10), HD_SAT_UNKNOWN); /* lost for good */
    hd_solver_free(s);
    s = hd_solver_new(usual);
    assert_int_equal(ask(s, 10), HD_SAT_YES);
    hd_solver_free(s);
}

static void *press_later(void *arg)
{
    (void)arg;
    while (__atomic_load_n(&shared->calls, __ATOMIC_RELAXED) == 0)
        usleep(1000);
    hd_interrupt_request();
    return NULL;
}

static void test_interrupt(void **state)
{
    (void)state;
    pthread_t presser;
    struct hd_solver *s = hd_solver_new(usual);
    shared->mode = STUCK;
    assert_int_equal(pthread_create(&presser, NULL, press_later, NULL), 0);
    assert_int_equal(ask(s, 0), HD_SAT_UNKNOWN);
    assert_int_equal(hd_solver_lost(s), HD_LOST_STOPPED);
    pthread_join(presser, NULL);
    hd_solver_free(s);
}

/* Clauses whose count alone is more than the limit: Z3's own. */
static void say_much(struct hd_solver *s)
{
    enum { N = 2000 };
    hd_ord orders[N];
    for (int i = 0; i < N; i++)
        orders[i] = hd_solver_order(s);
    for (int i = 0; i < 200000; i++) {
        hd_lit lits[2] = {hd_solver_before(s, orders[i % N], orders[i * 7 % N]), hd_solver_bool(s)};
        hd_solver_clause(s, lits, 2);
    }
}

static void test_memory(void **state)
{
    (void)state;
    struct hd_solver *s = hd_solver_new((struct hd_solver_limits){.memory = 16u << 20});
    say_much(s);
    assert_int_equal(ask(s, 0), HD_SAT_UNKNOWN);
    assert_int_equal(hd_solver_lost(s), HD_LOST_MEMORY);
    hd_solver_free(s);
}

/* Memory that Z3 does not count is limited by the system. */
static void test_memory_of_the_process(void **state)
{
    (void)state;
    if (getenv("HEDDLE_TEST_SANITIZED"))
        skip(); /* sanitizers reserve more than any limit */
    struct hd_solver *s = hd_solver_new((struct hd_solver_limits){.memory = 128u << 20});
    shared->mode = GREEDY;
    assert_int_equal(ask(s, 0), HD_SAT_UNKNOWN);
    assert_int_equal(hd_solver_lost(s), HD_LOST_MEMORY);
    hd_solver_free(s);
}

static void test_crash(void **state)
{
    (void)state;
    struct hd_solver *s = hd_solver_new(usual);
    shared->mode = BROKEN;
    assert_int_equal(ask(s, 0), HD_SAT_UNKNOWN);
    assert_int_equal(hd_solver_lost(s), HD_LOST_FAILED);
    hd_solver_free(s);
}

/* A formula that does not fit into the sockets' buffers, and as many values. */
static void test_large(void **state)
{
    (void)state;
    enum { N = 30000 };
    hd_ord *orders = malloc(N * sizeof *orders);
    hd_lit *lits = malloc(N * sizeof *lits);
    int64_t *places = malloc(N * sizeof *places);
    bool *values = malloc(N * sizeof *values);
    struct hd_solver *s = hd_solver_new(usual);
    for (int i = N; i-- > 0;) {
        orders[i] = hd_solver_order(s);
        lits[i] = i % 3 ? hd_solver_bool(s) : -hd_solver_bool(s);
        hd_solver_clause(s, &lits[i], 1);
        hd_lit later = i < N - 1 ? hd_solver_before(s, orders[i], orders[i + 1]) : HD_LIT_TRUE;
        hd_solver_clause(s, &later, 1);
    }
    assert_int_equal(ask(s, 0), HD_SAT_YES);
    assert_true(hd_solver_values(s, lits, N, values));
    assert_true(hd_solver_places(s, orders, N, places));
    for (int i = 0; i < N; i++) {
        assert_true(values[i]);
        assert_true(i == 0 || places[i - 1] < places[i]);
    }
    hd_solver_free(s);
    free(orders);
    free(lits);
    free(places);
    free(values);
}

static void test_one_process_serves_many(void **state)
{
    (void)state;
    struct hd_link a, b, c;
    assert_true(hd_link_open(&a));
    pid_t first = a.pid;
    hd_link_close(&a, true);
    for (int i = 0; i < 20; i++) {
        struct hd_solver *s = hd_solver_new(usual);
        assert_int_equal(ask(s, 0), HD_SAT_YES);
        hd_solver_free(s);
    }
    assert_true(hd_link_open(&b));
    assert_int_equal(b.pid, first);
    assert_true(hd_link_open(&c)); /* both at once */
    assert_int_not_equal(c.pid, first);
    hd_link_close(&c, false);
    hd_link_close(&b, true);
    kill(first, SIGKILL); /* somebody kills an idle one */
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
    struct hd_solver *s = hd_solver_new(usual);
    assert_int_equal(ask(s, 0), HD_SAT_YES);
    hd_solver_free(s);
}

/* The tool is killed while Z3 is stuck: nothing stays behind. */
static void test_no_orphan(void **state)
{
    (void)state;
    int told[2];
    pid_t solver = 0;
    assert_int_equal(pipe(told), 0);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    shared->mode = STUCK;
    pid_t tool = fork();
    if (tool == 0) {
        struct hd_link l;
        struct hd_wire w = {0};
        if (!hd_link_open(&l) || write(told[1], &l.pid, sizeof l.pid) != sizeof l.pid)
            _exit(1);
        hd_wire_put(&w, HD_WIRE_NEW_ORDER);
        hd_wire_put(&w, 0);
        hd_wire_put(&w, HD_WIRE_CHECK);
        hd_wire_put(&w, 0);
        hd_link_send(&l, w.data, w.len, 0);
        for (;;)
            pause();
    }
    assert_int_equal(read(told[0], &solver, sizeof solver), sizeof solver);
    while (__atomic_load_n(&shared->calls, __ATOMIC_RELAXED) == 0)
        usleep(1000);
    kill(tool, SIGKILL);
    assert_int_equal(waitpid(tool, NULL, 0), tool);
    int status; /* the solver is ours now; it ends, or this waits for ever */
    assert_int_equal(waitpid(solver, &status, 0), solver);
    assert_true(WIFEXITED(status));
    close(told[0]);
    close(told[1]);
}

/* ---- prediction ---- */

/* tests/predict/array_index.trace, which only the solver can decide, after a race on z that is
 * found without it. */
static const char *const text = "!control branches\n"
                                "!init x 0\n"
                                "t1|w(z,1)|z.c:1\n"
                                "t2|w(z,2)|z.c:2\n"
                                "t1|acq(l)|array.c:1\n"
                                "t1|r(x,0)|array.c:2\n"
                                "t1|w(a[0],2)|array.c:2|addr=4;val=\n"
                                "t1|rel(l)|array.c:3\n"
                                "t2|acq(l)|array.c:4\n"
                                "t2|w(x,1)|array.c:5\n"
                                "t2|rel(l)|array.c:6\n"
                                "t2|w(a[0],1)|array.c:7\n";

static void predict(double seconds, double pair_seconds, struct hd_prediction *p)
{
    struct hd_predict_options options;
    struct hd_trace *t;
    assert_int_equal(hd_text_read(text, strlen(text), "test", &t, NULL), HD_OK);
    hd_predict_defaults(&options);
    options.steps = 1u << HD_STEP_GREEDY | 1u << HD_STEP_SMT;
    options.jobs = 1;
    options.seconds = seconds;
    options.pair_seconds = pair_seconds;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, p, NULL), HD_OK);
    hd_trace_free(t);
}

/* What is decided stays, what is not has its reason. */
static void judge(double seconds, double pair_seconds, enum hd_reason why)
{
    struct hd_prediction p;
    predict(seconds, pair_seconds, &p);
    assert_int_equal(p.groups, 3);
    assert_int_equal(p.found.len, 1);
    assert_int_equal(p.undecided.len, why == HD_REASONS ? 0 : 1);
    if (p.undecided.len)
        assert_int_equal(((struct hd_undecided *)p.undecided.data)->why, why);
    hd_prediction_fini(&p);
}

static void test_prediction(void **state)
{
    (void)state;
    judge(0, 0, HD_REASONS);
    assert_true(shared->calls > 0);
    shared->mode = STUCK;
    judge(2, 0, HD_WHY_TIME);
    judge(0, 0.2, HD_WHY_PAIR_TIME);
    shared->mode = BROKEN;
    judge(0, 0, HD_WHY_SOLVER);
    shared->mode = REAL;
    judge(0, 0, HD_REASONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_time, set_up),
        cmocka_unit_test_setup(test_interrupt, set_up),
        cmocka_unit_test_setup(test_memory, set_up),
        cmocka_unit_test_setup(test_memory_of_the_process, set_up),
        cmocka_unit_test_setup(test_crash, set_up),
        cmocka_unit_test_setup(test_large, set_up),
        cmocka_unit_test_setup(test_one_process_serves_many, set_up),
        cmocka_unit_test_setup(test_no_orphan, set_up),
        cmocka_unit_test_setup(test_prediction, set_up),
    };
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    alarm(120); /* a limit that does not hold must not hang the suite */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
