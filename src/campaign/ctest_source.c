/* The tests of a CMake build folder, as `ctest --show-only=json-v1` lists them. */
#include "campaign/sources.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/process.h"
#include "record/preload.h"
#include "record/program.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST (64u << 20) /* bytes of a list */

/* What ctest prints, in a buffer of MOST bytes. */
static enum hd_status ask_ctest(const char *build, char *text, struct hd_err *err)
{
    const char *argv[] = {"ctest", "--test-dir", build, "--show-only=json-v1", NULL};
    const struct hd_process process = {.file = "ctest", .argv = (char *const *)argv};
    int status = -1;
    enum hd_status s = hd_process_capture(&process, STDOUT_FILENO, text, MOST, &status, err);
    if (s == HD_OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        s = hd_err_at(err, HD_ERR_INPUT, build, 0, "ctest cannot list its tests");
    return s;
}

static const json_t *property(const json_t *test, const char *name)
{
    const json_t *list = json_object_get(test, "properties");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        const char *is = json_string_value(json_object_get(p, "name"));
        if (is && !strcmp(is, name))
            return json_object_get(p, "value");
    }
    return NULL;
}

static void take_texts(struct hd_unitplan *p, const json_t *list, size_t from, struct hd_texts *to)
{
    for (size_t i = from; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text)
            hd_unitplan_word(p, to, text);
    }
}

/* A test that already runs its program under `heddle run` (heddle_add_test): where the program
 * stands. */
static size_t program_of(const json_t *command)
{
    const char *tool = json_string_value(json_array_get(command, 0));
    const char *verb = json_string_value(json_array_get(command, 1));
    const char *slash = tool ? strrchr(tool, '/') : NULL;
    const char *name = slash ? slash + 1 : tool;
    if (!name || strcmp(name, "heddle") != 0 || !verb || strcmp(verb, "run") != 0)
        return 0;
    for (size_t i = 2; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (word && !strcmp(word, "--"))
            return i + 1;
    }
    return 0;
}

/* Why the test is not run; NULL: it is. */
static const char *why_not(const json_t *test, const struct hd_unit *u)
{
    char path[PATH_MAX];
    struct hd_err err;
    if (json_is_true(property(test, "DISABLED")))
        return "it is disabled";
    if (!u->program.n)
        return "its program is not built";
    if (hd_program_find(u->program.items[0], path, sizeof path, &err) != HD_OK)
        return "there is no such program";
    return hd_program_kind(path) == HD_PROGRAM_INSTRUMENTED || hd_preload_wanted(path)
               ? NULL
               : "it is not instrumented";
}

static enum hd_status add_test(struct hd_source_options *o, const char *build, const json_t *test,
                               struct hd_err *err)
{
    struct hd_unitplan *p = o->plan;
    const json_t *command = json_object_get(test, "command");
    const char *name = json_string_value(json_object_get(test, "name"));
    const char *folder = json_string_value(property(test, "WORKING_DIRECTORY"));
    struct hd_unit u = {.test = hd_unitplan_text(p, name ? name : "?"),
                        .folder = hd_unitplan_text(p, folder ? folder : build)};
    take_texts(p, command, program_of(command), &u.program);
    take_texts(p, property(test, "ENVIRONMENT"), 0, &u.environment);
    const char *why = why_not(test, &u);
    if (!why)
        return hd_source_add(o, &u, err);
    hd_unitplan_word(p, &o->left_out,
                     hd_unitplan_format(p, "test %s is left out: %s", u.test, why));
    return HD_OK;
}

enum hd_status hd_source_ctest(struct hd_source_options *o, const char *build, struct hd_err *err)
{
    char full[PATH_MAX];
    json_error_t why;
    if (!realpath(build, full))
        return hd_err_at(err, HD_ERR_INPUT, build, 0, "%s", strerror(errno));
    char *text = hd_alloc(MOST);
    enum hd_status s = ask_ctest(full, text, err);
    json_t *root = s == HD_OK ? json_loads(text, 0, &why) : NULL;
    const json_t *tests = json_object_get(root, "tests");
    hd_free(text, MOST);
    if (s == HD_OK && !json_is_array(tests))
        s = hd_err_at(err, HD_ERR_INPUT, build, 0, "ctest cannot list its tests");
    for (size_t i = 0; i < json_array_size(tests) && s == HD_OK; i++)
        s = add_test(o, full, json_array_get(tests, i), err);
    HD_DEBUG_LINE(CAMPAIGN, "ctest of %s lists %zu tests, %zu are left out", full,
                  json_array_size(tests), o->left_out.n);
    json_decref(root);
    return s;
}
