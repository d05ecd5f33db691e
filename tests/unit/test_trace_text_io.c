/* Loading and saving: every form, every packing, and what happens when the system refuses. */
#include "base/alloc.h"
#include "trace/digest.h"
#include "trace/trace_io.h"
#include "trace/text/text.h"
#include "../support/trace_equal.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[256]; /* empty before each test and after */

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/test_trace_text_io.XXXXXX", HD_TEST_TMP);
    return mkdtemp(folder) ? 0 : -1;
}

/* Removes what the test names; fails when anything else lies there, such as a temporary. */
static void expect_left(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (unlink(in_folder(names[i])) != 0)
            fail_msg("%s is missing", names[i]);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            fail_msg("%s was left behind", entry->d_name);
    closedir(dir);
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Many events, so that several blocks are written and failures come in the middle. */
static struct hd_trace *make_trace(bool plain, size_t events)
{
    char *text;
    size_t len;
    struct hd_trace *t;
    struct hd_err err = {0};
    FILE *out = open_memstream(&text, &len);
    for (size_t i = 0; i < events; i++)
        fprintf(out, plain ? "t%zu|w(x%zu)|p%zu\n" : "t%zu|aw(x%zu,9%zu)|p%zu\n", i % 3,
                i * 7919 % 1000, i * 104729 % 5000, i);
    fclose(out);
    assert_int_equal(hd_text_read(text, len, "made", &t, &err), HD_OK);
    free(text);
    return t;
}

static void expect_same(const struct hd_trace *t, const char *path, enum hd_format format,
                        enum hd_packing pack)
{
    struct hd_trace *back;
    struct hd_err err = {0};
    struct hd_load_info info;
    struct trace_difference difference;
    char a[HD_DIGEST_SIZE], b[HD_DIGEST_SIZE];
    struct stat st;
    if (hd_trace_io_load_info(path, &back, &info, &err) != HD_OK)
        fail_msg("%s: %s", err.file, err.text);
    if (!trace_equal(t, back, &difference))
        fail_msg("%s: %s differs", path, difference.text);
    hd_digest_trace(t, a);
    hd_digest_trace(back, b);
    assert_string_equal(a, b);
    assert_int_equal(info.format, format);
    assert_int_equal(info.pack, pack);
    assert_false(info.truncated);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(info.bytes, st.st_size);
    hd_trace_free(back);
}

static void test_every_form(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum hd_format save, load;
        enum hd_packing pack;
    } cases[] = {
        {"a.txt", HD_FORMAT_TEXT, HD_FORMAT_TEXT, HD_PACK_NONE},
        {"a.txt.zst", HD_FORMAT_TEXT, HD_FORMAT_TEXT, HD_PACK_ZSTD},
        {"a.txt.gz", HD_FORMAT_TEXT, HD_FORMAT_TEXT, HD_PACK_GZIP},
        {"a.std", HD_FORMAT_STD, HD_FORMAT_TEXT, HD_PACK_NONE},
        {"a.std.gz", HD_FORMAT_STD, HD_FORMAT_TEXT, HD_PACK_GZIP},
        {"a.hdt", HD_FORMAT_HDT, HD_FORMAT_HDT, HD_PACK_NONE},
        {"a.hdt.gz", HD_FORMAT_HDT, HD_FORMAT_HDT, HD_PACK_GZIP},
        {"a.hdt.zst", HD_FORMAT_HDT, HD_FORMAT_HDT, HD_PACK_ZSTD},
    };
    struct hd_err err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_trace *t = make_trace(cases[i].save == HD_FORMAT_STD, 60000);
        enum hd_format asked;
        const char *path = in_folder(cases[i].name);
        assert_true(hd_format_by_suffix(path, &asked));
        assert_int_equal(asked, cases[i].save);
        if (hd_trace_io_save(t, path, cases[i].save, &err) != HD_OK)
            fail_msg("%s", err.text);
        expect_same(t, path, cases[i].load, cases[i].pack);
        expect_left(&cases[i].name, 1);
        hd_trace_free(t);
    }
}

static void test_suffixes(void **state)
{
    (void)state;
    enum hd_format format;
    assert_false(hd_format_by_suffix("-", &format));
    assert_false(hd_format_by_suffix("trace", &format));
    assert_false(hd_format_by_suffix("x.gz", &format));
    assert_false(hd_format_by_suffix(".hdt", &format));
    assert_true(hd_format_by_suffix("x.trace.zst", &format));
    assert_int_equal(format, HD_FORMAT_TEXT);
}

static void expect_io_error(const char *path, const char *reason)
{
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    assert_int_equal(hd_trace_io_load(path, &t, &err), HD_ERR_IO);
    assert_null(t);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, reason));
}

static void test_unreadable(void **state)
{
    (void)state;
    expect_io_error(in_folder("nothing"), "cannot open: No such file");
    expect_io_error(folder, "cannot read: Is a directory");
    expect_left(NULL, 0);
}

/* A refusal of the form leaves an old file as it was, and no new one. */
static void test_refused_form(void **state)
{
    (void)state;
    struct hd_trace *t = make_trace(false, 10);
    struct hd_err err = {0};
    assert_int_equal(hd_trace_io_save(t, in_folder("new.std"), HD_FORMAT_STD, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "plain STD cannot say event 1, a aw"));
    expect_left(NULL, 0);
    hd_trace_free(t);
}

static void test_full_device(void **state)
{
    (void)state;
    struct hd_trace *t = make_trace(false, 60000);
    static const enum hd_format formats[] = {HD_FORMAT_TEXT, HD_FORMAT_HDT};
    for (int i = 0; i < 2; i++) {
        struct hd_err err = {0};
        assert_int_equal(hd_trace_io_save(t, "/dev/full", formats[i], &err), HD_ERR_IO);
        if (!strstr(err.text, "/dev/full") || !strstr(err.text, "No space left"))
            fail_msg("%s", err.text);
    }
    hd_trace_free(t);
}

/* A file system without room, played by a limit on the size of files. */
static void test_no_room(void **state)
{
    (void)state;
    static const char *const names[] = {"a.txt", "a.txt.gz", "a.txt.zst", "a.hdt"};
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    struct hd_trace *t = make_trace(false, 60000);
    for (size_t i = 0; i < 4; i++) {
        struct hd_err err = {0};
        FILE *f = fopen(in_folder(names[i]), "w");
        fputs("precious\n", f);
        fclose(f);
        setrlimit(RLIMIT_FSIZE, &small);
        enum hd_status status =
            hd_trace_io_save(t, in_folder(names[i]), i == 3 ? HD_FORMAT_HDT : HD_FORMAT_TEXT, &err);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, HD_ERR_IO);
        if (!strstr(err.text, names[i]) || !strstr(err.text, "File too large"))
            fail_msg("%s", err.text);
        char line[32] = "";
        f = fopen(in_folder(names[i]), "r");
        assert_non_null(fgets(line, sizeof line, f));
        fclose(f);
        assert_string_equal(line, "precious\n");
        expect_left(&names[i], 1);
    }
    hd_trace_free(t);
}

static void test_missing_folder(void **state)
{
    (void)state;
    struct hd_trace *t = make_trace(false, 10);
    struct hd_err err = {0};
    assert_int_equal(hd_trace_io_save(t, in_folder("no/a.txt"), HD_FORMAT_TEXT, &err), HD_ERR_IO);
    assert_non_null(strstr(err.text, "No such file or directory"));
    hd_trace_free(t);
}

static void test_standard_streams(void **state)
{
    (void)state;
    static const char *const names[] = {"out.txt"};
    struct hd_trace *t = make_trace(false, 60000), *back;
    struct hd_err err = {0};
    struct trace_difference difference;
    int file = open(in_folder(names[0]), O_RDWR | O_CREAT, 0600);
    int saved_out = dup(STDOUT_FILENO), saved_in = dup(STDIN_FILENO);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    enum hd_status wrote = hd_trace_io_save(t, "-", HD_FORMAT_TEXT, &err);
    dup2(saved_out, STDOUT_FILENO);
    lseek(file, 0, SEEK_SET);
    dup2(file, STDIN_FILENO);
    enum hd_status read_back = hd_trace_io_load("-", &back, &err);
    dup2(saved_in, STDIN_FILENO);
    assert_int_equal(wrote, HD_OK);
    assert_int_equal(read_back, HD_OK);
    assert_true(trace_equal(t, back, &difference));
    close(file);
    close(saved_in);
    close(saved_out);
    hd_trace_free(t);
    hd_trace_free(back);
    expect_left(names, 1);
}

/* Bytes that trickle through a pipe: the form is found although the first read gives one byte. */
static void test_slow_pipe(void **state)
{
    (void)state;
    static const char text[] = "# pipe\nt|r(x)|p\n";
    struct hd_trace *t;
    struct hd_err err = {0};
    char path[64];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < sizeof text - 1; i++) {
            if (write(ends[1], text + i, 1) != 1)
                _exit(1);
            usleep(500);
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(hd_trace_io_load(path, &t, &err), HD_OK);
    assert_int_equal(t->n_events, 1);
    close(ends[0]);
    waitpid(child, NULL, 0);
    hd_trace_free(t);
}

static void test_truncated_hdt(void **state)
{
    (void)state;
    static const char *const names[] = {"cut.hdt"};
    struct hd_trace *t = make_trace(false, 300000), *back;
    struct hd_err err = {0};
    struct hd_load_info info;
    struct stat st;
    assert_int_equal(hd_trace_io_save(t, in_folder(names[0]), HD_FORMAT_HDT, &err), HD_OK);
    assert_int_equal(stat(in_folder(names[0]), &st), 0);
    assert_int_equal(truncate(in_folder(names[0]), st.st_size - 1), 0);
    if (hd_trace_io_load_info(in_folder(names[0]), &back, &info, &err) != HD_OK)
        fail_msg("%s", err.text);
    assert_true(info.truncated);
    hd_trace_free(back);
    hd_trace_free(t);
    expect_left(names, 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_every_form),         cmocka_unit_test(test_suffixes),
        IN_FOLDER(test_unreadable),         IN_FOLDER(test_refused_form),
        cmocka_unit_test(test_full_device), IN_FOLDER(test_no_room),
        IN_FOLDER(test_missing_folder),     IN_FOLDER(test_standard_streams),
        cmocka_unit_test(test_slow_pipe),   IN_FOLDER(test_truncated_hdt),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || hd_alloc_in_use() != 0;
}
