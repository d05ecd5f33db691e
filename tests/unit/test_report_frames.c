/* Which frames are the program's own, how C++ names are shortened, file names without detours, what
 * is advised on deadlocks, and what lines call memory. */
#include "base/plainpath.h"
#include "report/make/expression.h"
#include "report/make/frame_names.h"
#include "report/format/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_are_shortened(void **state)
{
    static const char *const cases[][2] = {
        {"main", "main"},
        {"operator()", "operator()"},
        {"Queue<int>::push(int)", "Queue<int>::push"},
        {"void std::__invoke_impl<void, main::$_0>(std::__invoke_other, main::$_0&&)",
         "std::__invoke_impl<void, main::$_0>"},
        {"std::__invoke_result<main::$_0>::type std::__invoke<main::$_0>(main::$_0&&)",
         "std::__invoke<main::$_0>"},
        {"main::$_0::operator()() const", "lambda in main"},
        {"Pool::run(int)::{lambda(int)#2}::operator()(int) const", "lambda in Pool::run"},
        {"decltype (::new ((void*)(0)) std::jthread(f())) std::construct_at<std::jthread>(int*)",
         "std::construct_at<std::jthread>"},
        {"long g::operator-<int*, std::vector<int> >(g::it<int*> const&)",
         "g::operator-<int*, std::vector<int> >"},
        {"bool g::operator==<int*>(g::it<int*> const&)", "g::operator==<int*>"},
        {"bool operator<=> <int>(it<int>)", "operator<=><int>"},
        {"T* P<T>::operator->() const", "P<T>::operator->"},
        {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<<<char>"},
        {"operator new(unsigned long)", "operator new"},
        {"(anonymous namespace)::work(int)", "(anonymous namespace)::work"},
        {"void std::vector<std::pair<std::string, std::string>, std::allocator<int> >::"
         "_M_realloc_insert<int>(int&&)",
         "std::vector<...>::_M_realloc_insert<...>"},
    };
    char out[100];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(hd_frame_names_source(cases[i][0], out, sizeof out), cases[i][1]);
    assert_string_equal(hd_frame_names_source("abcdefgh", out, 5), "abcd");
    assert_string_equal(hd_frame_names_variable("a local of f<int>", out, sizeof out),
                        "a local of f<int>");
    assert_string_equal(
        hd_frame_names_variable("start_for<blocked_range<iterator<int *, vector<int> > > >.left<0>",
                                out, sizeof out),
        "start_for<...>.left<...>");
    assert_string_equal(
        hd_frame_names_variable("pool of which a > b and the name is longer than any->other <", out,
                                sizeof out),
        "pool of which a > b and the name is longer than any->other <");
}

static struct hd_frame frame(const char *file, const char *function, const char *module)
{
    return (struct hd_frame){.at = {.file = file, .function = function}, .module = module};
}

static void libraries_are_foreign(void **state)
{
    struct hd_frame own[] = {
        frame("a.cpp", "put", "prog+0x1"),
        frame("../src/std_mutex.h", "lock", NULL),
        frame(NULL, "helper", "libmine.so+0x1"),
        frame(NULL, NULL, NULL),
    };
    struct hd_frame foreign[] = {
        frame("/usr/include/c++/12/bits/std_mutex.h", "lock", NULL),
        frame("/opt/gcc/include/c++/13/thread", "run", NULL),
        frame(NULL, NULL, "libstdc++.so.6+0xd44a3"),
        frame(NULL, "void std::__invoke_impl<void>(int)", "prog+0x4661"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_false(hd_frame_names_foreign(&own[i]));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_true(hd_frame_names_foreign(&foreign[i]));
    struct hd_frame mixed[] = {foreign[0], own[0], foreign[2], own[2]};
    struct hd_stack stack = {mixed, 4}, none = {foreign, 4};
    assert_int_equal(hd_frame_names_own(&stack), 1);
    assert_int_equal(hd_frame_names_own(&none), 4);
}

static void count(void *ctx, size_t number, const struct hd_frame *f)
{
    (void)f;
    *(size_t *)ctx = *(size_t *)ctx * 10 + number + 1;
}

static void foreign_frames_are_left_out(void **state)
{
    struct hd_frame frames[] = {frame("/usr/include/c++/12/mutex", "lock", NULL),
                                frame("a.cpp", "put", NULL), frame(NULL, NULL, "libc.so.6+0x1")};
    struct hd_stack stack = {frames, 3}, none = {frames, 1};
    size_t seen = 0;
    (void)state;
    assert_int_equal(hd_frame_names_each(&stack, false, count, &seen), 2);
    assert_int_equal(seen, 2);
    seen = 0;
    assert_int_equal(hd_frame_names_each(&stack, true, count, &seen), 0);
    assert_int_equal(seen, 123);
    seen = 0; /* when there is nothing else, they are shown */
    assert_int_equal(hd_frame_names_each(&none, false, count, &seen), 0);
    assert_int_equal(seen, 1);
}

static void paths_are_plain(void **state)
{
    static const char *const cases[][2] = {
        {"/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/x.h:3",
         "/usr/include/c++/12/bits/x.h:3"},
        {"/a//b/./c", "/a/b/c"},
        {"/../a", "/a"},
        {"/a/..", "/"},
        {"/a/...b/..c", "/a/...b/..c"},
        {"../src/a.c", "../src/a.c"},
        {"a/../b.c", "a/../b.c"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[128];
        strcpy(path, cases[i][0]);
        hd_plainpath(path);
        assert_string_equal(path, cases[i][1]);
    }
}

static void advice_fits_the_deadlock(void **state)
{
    struct hd_access waits[] = {{.kind = "wait for lock"}, {.kind = "wait for condition"}};
    struct hd_finding f = {
        .property = HD_PROPERTY_DEADLOCK, .accesses = waits, .n_accesses = 2, .variable = "c"};
    struct hd_arena *a = hd_arena_new();
    (void)state;
    assert_non_null(strstr(hd_words_advice(a, &f), "signal for which no thread waits"));
    waits[1].kind = "wait for lock";
    assert_non_null(strstr(hd_words_advice(a, &f), "same order"));
    f.n_accesses = 1;
    assert_non_null(strstr(hd_words_advice(a, &f), "waits for itself"));
    waits[0].kind = "wait for semaphore";
    assert_null(strstr(hd_words_advice(a, &f), "order"));
    hd_arena_free(a);
}

static void two_frees_are_one_word(void **state)
{
    struct hd_access accesses[2] = {{.kind = "free"}, {.kind = "free"}};
    struct hd_finding f = {
        .property = HD_PROPERTY_RACE, .variable = "p", .accesses = accesses, .n_accesses = 2};
    struct hd_arena *a = hd_arena_new();
    (void)state;
    assert_string_equal(hd_words_kind(&f), "double free");
    assert_string_equal(hd_words_heading(a, &f), "Double free of 'p'");
    accesses[0].kind = "read";
    assert_string_equal(hd_words_kind(&f), "use after free");
    accesses[1].kind = "write";
    assert_string_equal(hd_words_kind(&f), "data race");
    assert_null(hd_words_advice(a, &f));
    hd_arena_free(a);
}

/* ^ stands under the column of the access. */
static void expressions_are_read_from_the_line(void **state)
{
    static const char *const cases[][3] = {
        {"  v[2] = 5;", "       ^", "v[2]"},
        {"pool.jobs[i + a[1]].len += 7;", "                        ^", "pool.jobs[i + a[1]].len"},
        {"x = sp->id;", "        ^", "sp->id"},
        {"jobs[3]++;", "       ^", "jobs[3]"},
        {"if (q->items[k] < 3)", "       ^", "q->items[k]"},
        {"return a.b->c.d[1];", "              ^", "a.b->c.d[1]"},
        {"n = a.b->c;", "      ^", "a.b"},
        {"app::list[0]--;", "            ^", "app::list[0]"},
        {"*p = 5;", "   ^", NULL},
        {"count++;", "     ^", NULL},
        {"get(x)[1] = 5;", "          ^", NULL},
        {"this->_M_impl._M_start = p;", "                       ^", NULL},
        {"memcpy(a[1], b, n);", "^", NULL},
        {"a[1 = 2;", " ^", NULL},
        {"] = 2;", "  ^", NULL},
        {"short", "          ^", NULL},
    };
    char out[HD_EXPRESSION_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t column = (uint32_t)strlen(cases[i][1]);
        assert_int_equal(hd_expression_at(cases[i][0], column, out), cases[i][2] != NULL);
        if (cases[i][2])
            assert_string_equal(out, cases[i][2]);
    }
    assert_false(hd_expression_at("v[2] = 5;", 0, out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_shortened),
        cmocka_unit_test(libraries_are_foreign),
        cmocka_unit_test(foreign_frames_are_left_out),
        cmocka_unit_test(paths_are_plain),
        cmocka_unit_test(advice_fits_the_deadlock),
        cmocka_unit_test(two_frees_are_one_word),
        cmocka_unit_test(expressions_are_read_from_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
