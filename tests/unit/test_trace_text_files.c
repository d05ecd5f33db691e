/* Every file of tests/format/malformed and tests/format/valid through the public load function. */
#include "base/alloc.h"
#include "trace/trace_io.h"
#include "trace/text/text.h"
#include "../support/trace_equal.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct content {
    char *data;
    size_t len;
};

/* The bytes of a file; data is NULL when there is none. */
static struct content slurp(const char *path)
{
    struct content c = {0};
    FILE *in = fopen(path, "rb");
    if (!in)
        return c;
    FILE *out = open_memstream(&c.data, &c.len);
    for (int ch; (ch = getc(in)) != EOF;)
        putc(ch, out);
    fclose(in);
    fclose(out);
    return c;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix);
}

static int is_case(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return name[0] != '.' && !ends_in(name, ".expect") && !ends_in(name, ".canon");
}

/* Calls run for each case in the folder, in order of name; returns how many there are. */
static int for_each(const char *folder, void (*run)(const char *path))
{
    struct dirent **entries;
    char path[512];
    int n = scandir(folder, &entries, is_case, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        size_t before = hd_alloc_in_use();
        run(path);
        if (hd_alloc_in_use() != before)
            fail_msg("%s: memory is lost", path);
        free(entries[i]);
    }
    free(entries);
    return n;
}

/* What must be said: "LINE: reason" in NAME.expect, or after "# " in the first line. */
static void expectation(const char *path, unsigned long *line, char reason[256])
{
    char beside[600];
    snprintf(beside, sizeof beside, "%s.expect", path);
    struct content c = slurp(beside);
    if (!c.data)
        c = slurp(path);
    const char *p = c.len && c.data[0] == '#' ? c.data + 1 : c.data;
    if (sscanf(p, "%lu: %255[^\n]", line, reason) != 2)
        fail_msg("%s: no expectation found", path);
    free(c.data);
}

static void expect(const char *path, const struct hd_err *err)
{
    unsigned long line;
    char reason[256];
    expectation(path, &line, reason);
    if (err->code != HD_ERR_INPUT || err->line != line || !strstr(err->text, reason) ||
        strcmp(err->file, path) != 0)
        fail_msg("%s: expected %lu: %s\nfound %s:%llu: %s", path, line, reason, err->file,
                 (unsigned long long)err->line, err->text);
    for (const char *p = err->text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            fail_msg("%s: the message holds a control character", path);
}

/* The same text byte by byte must fail in the same way. */
static void feed_bytes(const char *path)
{
    struct content c = slurp(path);
    struct hd_err err = {0};
    struct hd_trace *t = NULL;
    struct hd_text_reader *r = hd_text_new(path);
    enum hd_status status = HD_OK;
    for (size_t i = 0; status == HD_OK && i < c.len; i++)
        status = hd_text_feed(r, c.data + i, 1, &err);
    if (status == HD_OK)
        status = hd_text_finish(r, &t, &err);
    else
        hd_text_free(r);
    assert_int_equal(status, HD_ERR_INPUT);
    assert_null(t);
    expect(path, &err);
    free(c.data);
}

static void run_malformed(const char *path)
{
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    if (hd_trace_io_load(path, &t, &err) == HD_OK)
        fail_msg("%s was taken as valid", path);
    assert_null(t);
    expect(path, &err);
    assert_int_equal(hd_trace_io_load(path, &t, NULL), HD_ERR_INPUT);
    if (ends_in(path, ".txt"))
        feed_bytes(path);
}

static void run_valid(const char *path)
{
    char beside[600];
    struct hd_trace *t, *again;
    struct hd_err err = {0};
    struct trace_difference difference;
    struct content text = {0};
    snprintf(beside, sizeof beside, "%s.canon", path);
    struct content canon = slurp(beside);
    if (!canon.data)
        fail_msg("%s is missing", beside);
    if (hd_trace_io_load(path, &t, &err) != HD_OK)
        fail_msg("%s:%llu: %s", err.file, (unsigned long long)err.line, err.text);
    FILE *out = open_memstream(&text.data, &text.len);
    assert_int_equal(hd_text_write(t, out, &err), HD_OK);
    fclose(out);
    if (text.len != canon.len || memcmp(text.data, canon.data, canon.len) != 0)
        fail_msg("%s: canonical text is\n%s", path, text.data);
    assert_int_equal(hd_text_read(text.data, text.len, path, &again, &err), HD_OK);
    if (!trace_equal(t, again, &difference))
        fail_msg("%s: %s differs after a round trip", path, difference.text);
    hd_trace_free(t);
    hd_trace_free(again);
    free(text.data);
    free(canon.data);
}

static void test_malformed(void **state)
{
    (void)state;
    assert_true(for_each(HD_TESTS_DIR "/format/malformed", run_malformed) >= 40);
}

static void test_valid(void **state)
{
    (void)state;
    assert_true(for_each(HD_TESTS_DIR "/format/valid", run_valid) >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
