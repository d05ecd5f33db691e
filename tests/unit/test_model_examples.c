/* Every text file in tests/model has a line `# expect: 3-9 4-7` (or `none`): the racing pairs
 * worked out by hand. The enumerator must find exactly these, with witnesses that the checker
 * accepts. */
#include "model/check.h"
#include "model/enumerate.h"
#include "trace/trace_io.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The line "# <key>: ..." of the file, if there is one. */
static bool read_expected(const char *path, const char *key, char *text, size_t cap)
{
    FILE *f = fopen(path, "r");
    char line[1024], head[64];
    bool found = false;
    assert_non_null(f);
    size_t len = (size_t)snprintf(head, sizeof head, "# %s: ", key);
    while (!found && fgets(line, sizeof line, f))
        found = !strncmp(line, head, len);
    fclose(f);
    if (found)
        snprintf(text, cap, "%.*s", (int)strcspn(line + len, "\n"), line + len);
    return found;
}

static void print_pairs(const struct hd_enum_result *result, char *text, size_t cap)
{
    size_t at = 0;
    snprintf(text, cap, "none");
    for (size_t i = 0; i < result->n_pairs; i++)
        at += (size_t)snprintf(text + at, cap - at, "%s%u-%u", i ? " " : "", result->pairs[i].a + 1,
                               result->pairs[i].b + 1);
}

static void judge(const char *path, const struct hd_trace *t, enum hd_enum_model model,
                  const char *expected)
{
    char got[1024];
    struct hd_err err;
    struct hd_enum_result result;
    struct hd_enum_opts opts = {.model = model, .witnesses = true};
    assert_int_equal(hd_enumerate(t, &opts, &result, &err), HD_OK);
    print_pairs(&result, got, sizeof got);
    if (strcmp(expected, got) != 0)
        fail_msg("%s: model %d: expected %s, got %s", path, (int)model, expected, got);
    for (size_t i = 0; result.witnesses && i < result.n_pairs; i++)
        if (hd_witness_check(t, &result.witnesses[i], NULL, &err) != HD_OK)
            fail_msg("%s: witness refused: %s", path, err.text);
    hd_enum_result_fini(&result);
}

static void judge_all(const char *path, const struct hd_trace *t)
{
    static const char *keys[] = {"expect", "expect-said", "expect-rv"};
    static const enum hd_enum_model models[] = {HD_ENUM_MAX, HD_ENUM_SAID, HD_ENUM_RV};
    struct hd_err err;
    if (hd_check_trace(t, NULL, &err) != HD_OK)
        fail_msg("%s: %s", path, err.text);
    for (int i = 0; i < 3; i++) {
        char expected[1024];
        bool found = read_expected(path, keys[i], expected, sizeof expected);
        if (found)
            judge(path, t, models[i], expected);
        else if (i == 0)
            fail_msg("%s has no '# expect:' line", path);
    }
}

static int is_example(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 4 && !strcmp(entry->d_name + len - 4, ".txt");
}

static void test_examples(void **state)
{
    (void)state;
    struct dirent **entries;
    int n = scandir(HD_TESTS_DIR "/model", &entries, is_example, alphasort);
    assert_true(n >= 40);
    for (int i = 0; i < n; i++) {
        char path[1024];
        struct hd_trace *t;
        struct hd_err err;
        snprintf(path, sizeof path, "%s/model/%s", HD_TESTS_DIR, entries[i]->d_name);
        if (hd_trace_io_load(path, &t, &err) != HD_OK)
            fail_msg("%s:%llu: %s", path, (unsigned long long)err.line, err.text);
        judge_all(path, t);
        hd_trace_free(t);
        free(entries[i]);
    }
    free(entries);
}

/* In two_waiters the race needs the first sig (event 8) to wake t2; with t1 chosen the same
 * schedule is refused, and without a choice too. */
static void test_only_one_choice(void **state)
{
    (void)state;
    struct hd_trace *t;
    struct hd_err err;
    struct hd_enum_result result;
    assert_int_equal(hd_trace_io_load(HD_TESTS_DIR "/model/two_waiters.txt", &t, &err), HD_OK);
    assert_int_equal(hd_enumerate(t, &(struct hd_enum_opts){.witnesses = true}, &result, &err),
                     HD_OK);
    struct hd_witness *w = &result.witnesses[0];
    assert_int_equal(w->n_wakes, 1);
    assert_int_equal(w->wakes[0].sig, 7);
    assert_string_equal(hd_trace_thread_name(t, w->wakes[0].thread), "t2");
    hd_tid t2 = w->wakes[0].thread;
    w->wakes[0].thread = t->thread[0];
    size_t entry;
    assert_int_equal(hd_witness_check(t, w, &entry, &err), HD_ERR_INPUT);
    assert_int_equal(w->schedule[entry], 12); /* t2's wake */
    w->wakes[0].thread = t2;
    struct hd_witness bare = *w;
    bare.n_wakes = 0;
    assert_int_equal(hd_witness_check(t, &bare, &entry, &err), HD_ERR_INPUT);
    assert_int_equal(w->schedule[entry], 7);
    hd_enum_result_fini(&result);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_only_one_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
