/* The worked examples of the literature. Every trace in tests/predict says in comments what the
 * example is and, in lines
 * `# expect DETECTOR: 3-10 4-7` (or `none`), what each detector must answer: `max` for all of them,
 * others where the literature says it. `max` is asked with several sets of steps and must also
 * agree with the enumeration of all states, and so must `said` and `rv` with theirs.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "detect/detect.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "predict/run/predict.h"
#include "predict/compare/published_models.h"
#include "trace/trace_io.h"

#define STEP(name) (1u << HD_STEP_##name)

/* The sets that can decide everything: all of them hold the solver. */
static const uint32_t step_sets[] = {
    (1u << HD_STEPS) - 1,
    STEP(SMT),
    STEP(GREEDY) | STEP(SMT),
    STEP(CLOSURE) | STEP(SMT),
    STEP(LOCKSET) | STEP(MUST) | STEP(SMT),
    STEP(LOCKSET) | STEP(MUST) | STEP(CLOSURE) | STEP(SMT),
};

static void print_pairs(const struct hd_pairs *pairs, char *text, size_t cap)
{
    size_t at = 0;
    snprintf(text, cap, "none");
    for (size_t i = 0; i < pairs->len; i++)
        at += (size_t)snprintf(text + at, cap - at, "%s%u-%u", i ? " " : "", pairs->data[i].a + 1,
                               pairs->data[i].b + 1);
}

/* Compares and empties the set. */
static void judge(const char *path, const char *who, const char *expected, struct hd_pairs *pairs)
{
    char got[1024];
    hd_pairs_sort(pairs);
    print_pairs(pairs, got, sizeof got);
    hd_pairs_fini(pairs);
    if (strcmp(expected, got) != 0)
        fail_msg("%s: %s: expected %s, got %s", path, who, expected, got);
}

static void judge_enumerated(const char *path, const struct hd_trace *t, enum hd_enum_model model,
                             const char *who, const char *expected)
{
    struct hd_enum_result r;
    struct hd_pairs pairs = {0};
    struct hd_err err = {0};
    if (hd_enumerate(t, &(struct hd_enum_opts){.model = model}, &r, &err) != HD_OK)
        fail_msg("%s: %s", path, err.text);
    for (size_t i = 0; i < r.n_pairs; i++)
        hd_pairs_push(&pairs, r.pairs[i].a, r.pairs[i].b);
    hd_enum_result_fini(&r);
    judge(path, who, expected, &pairs);
}

static void judge_max(const char *path, const struct hd_trace *t, const char *expected)
{
    for (size_t i = 0; i < sizeof step_sets / sizeof *step_sets; i++) {
        struct hd_predict_options options;
        struct hd_prediction p;
        struct hd_pairs pairs = {0};
        struct hd_err err = {0};
        char who[32];
        hd_predict_defaults(&options);
        options.all_pairs = true;
        options.jobs = 1;
        options.steps = step_sets[i];
        snprintf(who, sizeof who, "max with steps %#x", options.steps);
        if (hd_predict(t, HD_PROPERTY_RACE, &options, &p, &err) != HD_OK)
            fail_msg("%s: %s: %s", path, who, err.text);
        assert_int_equal(p.undecided.len, 0);
        for (size_t k = 0; k < p.found.len; k++) {
            const struct hd_predicted *race = hd_vec_at(&p.found, k);
            hd_pairs_push(&pairs, race->witness.a, race->witness.b);
            if (hd_witness_check(t, &race->witness, NULL, &err) != HD_OK)
                fail_msg("%s: %s: witness refused: %s", path, who, err.text);
        }
        hd_prediction_fini(&p);
        judge(path, who, expected, &pairs);
    }
    judge_enumerated(path, t, HD_ENUM_MAX, "the enumeration", expected);
}

static void judge_published(const char *path, const struct hd_trace *t, bool rv,
                            const char *expected)
{
    struct hd_published_result r;
    hd_published_run(rv ? HD_PUBLISHED_RV : HD_PUBLISHED_SAID, t,
                     &(struct hd_published_options){.all_pairs = true}, &r);
    assert_int_equal(r.undecided.len, 0);
    struct hd_pairs pairs = r.pairs;
    r.pairs = (struct hd_pairs){0};
    hd_published_fini(&r);
    judge(path, rv ? "rv" : "said", expected, &pairs);
    judge_enumerated(path, t, rv ? HD_ENUM_RV : HD_ENUM_SAID, "the enumeration of the model",
                     expected);
}

static void judge_detector(const char *path, const struct hd_trace *t, const char *name,
                           const char *expected)
{
    const struct hd_detector *detector = hd_detector_find(name);
    struct hd_detect_result r;
    struct hd_err err = {0};
    if (!detector)
        fail_msg("%s: there is no detector %s", path, name);
    assert_int_equal(detector->run(t, &(struct hd_detect_opts){.pairs = true}, &r, &err), HD_OK);
    struct hd_pairs pairs = r.pairs;
    r.pairs = (struct hd_pairs){0};
    hd_detect_result_fini(&r);
    judge(path, name, expected, &pairs);
}

/* Returns how many expectations the file has. */
static int run_file(const char *path)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    char line[1024], name[16], expected[1024];
    int n = 0;
    bool has_max = false;
    if (hd_trace_io_load(path, &t, &err) != HD_OK)
        fail_msg("%s:%llu: %s", path, (unsigned long long)err.line, err.text);
    if (hd_check_trace(t, NULL, &err) != HD_OK)
        fail_msg("%s: %s", path, err.text);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "# expect %15[a-z]: %1023[^\n]", name, expected) != 2)
            continue;
        n++;
        if (!strcmp(name, "max")) {
            has_max = true;
            judge_max(path, t, expected);
        } else if (!strcmp(name, "said") || !strcmp(name, "rv")) {
            judge_published(path, t, name[0] == 'r', expected);
        } else {
            judge_detector(path, t, name, expected);
        }
    }
    fclose(f);
    hd_trace_free(t);
    if (!has_max)
        fail_msg("%s has no '# expect max:' line", path);
    return n;
}

static int is_example(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 6 && !strcmp(entry->d_name + len - 6, ".trace");
}

static void test_examples(void **state)
{
    (void)state;
    struct dirent **entries;
    int n = scandir(HD_TESTS_DIR "/predict", &entries, is_example, alphasort), expectations = 0;
    assert_true(n >= 18);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/predict/%s", HD_TESTS_DIR, entries[i]->d_name);
        expectations += run_file(path);
        free(entries[i]);
    }
    free(entries);
    assert_true(expectations >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
