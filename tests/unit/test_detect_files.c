/* Known answers: every tests/detect/NAME.txt states, in lines `# expect DETECTOR: a-b c-d`, the
 * exact racing pairs (1-based) for some detectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "detect/detect.h"
#include "model/check.h"
#include "trace/trace_io.h"

static void judge(const char *file, const struct hd_trace *t, const char *name,
                  const struct hd_pairs *want)
{
    struct hd_detect_opts opts = {.pairs = true};
    struct hd_detect_result r;
    struct hd_err err;
    struct hd_pair p;
    const struct hd_detector *d = hd_detector_find(name);
    if (!d)
        fail_msg("%s: there is no detector %s", file, name);
    assert_int_equal(d->run(t, &opts, &r, &err), HD_OK);
    if (!hd_pairs_subset(want, &r.pairs, &p))
        fail_msg("%s: %s does not report %u-%u", file, name, p.a + 1, p.b + 1);
    if (!hd_pairs_subset(&r.pairs, want, &p))
        fail_msg("%s: %s reports %u-%u", file, name, p.a + 1, p.b + 1);
    hd_detect_result_fini(&r);
}

/* One `# expect` line; false if the line is something else. */
static bool expectation(const char *file, const struct hd_trace *t, char *line)
{
    static const char start[] = "# expect ";
    if (strncmp(line, start, sizeof start - 1))
        return false;
    char *name = line + sizeof start - 1, *colon = strchr(name, ':'), *rest;
    assert_non_null(colon);
    *colon = '\0';
    struct hd_pairs want = {0};
    for (char *word = strtok_r(colon + 1, " \n", &rest); word;
         word = strtok_r(NULL, " \n", &rest)) {
        unsigned a, b;
        assert_int_equal(sscanf(word, "%u-%u", &a, &b), 2);
        hd_pairs_push(&want, a - 1, b - 1);
    }
    hd_pairs_sort(&want);
    judge(file, t, name, &want);
    hd_pairs_fini(&want);
    return true;
}

static void check_file(const char *path)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    char line[512];
    unsigned expectations = 0;
    if (hd_trace_io_load(path, &t, &err) != HD_OK || hd_check_trace(t, NULL, &err) != HD_OK)
        fail_msg("%s: %s", path, err.text);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        expectations += expectation(path, t, line);
    fclose(f);
    if (!expectations)
        fail_msg("%s expects nothing", path);
    hd_trace_free(t);
}

static void files_give_the_pairs_they_state(void **state)
{
    (void)state;
    DIR *dir = opendir(HD_TESTS_DIR "/detect");
    struct dirent *entry;
    unsigned files = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char path[1024];
        size_t len = strlen(entry->d_name);
        if (len < 5 || strcmp(entry->d_name + len - 4, ".txt"))
            continue;
        snprintf(path, sizeof path, "%s/detect/%s", HD_TESTS_DIR, entry->d_name);
        check_file(path);
        files++;
    }
    closedir(dir);
    assert_true(files >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_give_the_pairs_they_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
