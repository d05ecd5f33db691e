/* Output files appear whole or not at all: commit, discard, exit, full disk, odd targets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/outfile.h"

static char dir[] = HD_TEST_TMP "/outfile-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") || rmdir(dir);
}

static size_t files_here(void)
{
    size_t n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void write_whole(const char *path, const char *text)
{
    struct hd_outfile out;
    struct hd_err err = {0};
    assert_int_equal(hd_outfile_open(path, &out, &err), HD_OK);
    fputs(text, out.file);
    assert_int_equal(hd_outfile_commit(&out, &err), HD_OK);
}

static void expect_text(const char *path, const char *text)
{
    char got[64] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
}

static void commit_replaces_at_once(void **state)
{
    (void)state;
    struct hd_outfile out;
    struct hd_err err = {0};
    write_whole("a", "old");
    assert_int_equal(hd_outfile_open("a", &out, &err), HD_OK);
    fputs("new", out.file);
    fflush(out.file);
    expect_text("a", "old");
    assert_int_equal(files_here(), 2);
    assert_int_equal(hd_outfile_commit(&out, &err), HD_OK);
    hd_outfile_discard(&out);
    expect_text("a", "new");
    assert_int_equal(files_here(), 1);
    unlink("a");
}

static void discard_leaves_nothing(void **state)
{
    (void)state;
    struct hd_outfile none = {0}, out;
    struct hd_err err = {0};
    hd_outfile_discard(&none);
    assert_int_equal(hd_outfile_open("a", &out, &err), HD_OK);
    fputs("text", out.file);
    hd_outfile_discard(&out);
    hd_outfile_discard(&out);
    assert_int_equal(files_here(), 0);
}

static void slots_are_limited_and_reused(void **state)
{
    (void)state;
    struct hd_outfile out[17];
    struct hd_err err = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 16; i++)
            assert_int_equal(hd_outfile_open("same", &out[i], &err), HD_OK);
        assert_int_equal(hd_outfile_open("same", &out[16], &err), HD_ERR_LIMIT);
        for (int i = 0; i < 16; i++)
            hd_outfile_discard(&out[i]);
        assert_int_equal(files_here(), 0);
    }
}

/* Runs `end` in a child that has an uncommitted file, and returns the child's status. */
static int end_with_open_file(void (*end)(void))
{
    pid_t pid = fork();
    if (!pid) {
        struct hd_outfile out;
        struct hd_err err = {0};
        if (hd_outfile_open("half", &out, &err))
            _exit(99);
        fputs("half", out.file);
        fflush(out.file);
        if (files_here() != 1)
            _exit(98);
        end();
        _exit(97);
    }
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static void end_by_exit(void)
{
    exit(7);
}

static void end_by_oom(void)
{
    if (!freopen("/dev/null", "w", stderr))
        _exit(96);
    hd_alloc_fail_at(1);
    hd_alloc(10);
}

static void on_signal(int sig)
{
    hd_outfile_discard_all();
    _exit(sig);
}

static void end_by_signal(void)
{
    signal(SIGINT, on_signal);
    raise(SIGINT);
}

static void the_end_of_the_process_removes_the_temporary(void **state)
{
    (void)state;
    int status = end_with_open_file(end_by_exit);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_int_equal(files_here(), 0);
    status = end_with_open_file(end_by_oom);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    assert_int_equal(files_here(), 0);
    status = end_with_open_file(end_by_signal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SIGINT);
    assert_int_equal(files_here(), 0);
}

static void a_forked_child_keeps_its_parents_file(void **state)
{
    (void)state;
    struct hd_outfile out;
    struct hd_err err = {0};
    assert_int_equal(hd_outfile_open("a", &out, &err), HD_OK);
    pid_t pid = fork();
    if (!pid)
        exit(0);
    waitpid(pid, NULL, 0);
    assert_int_equal(files_here(), 1);
    fputs("kept", out.file);
    assert_int_equal(hd_outfile_commit(&out, &err), HD_OK);
    expect_text("a", "kept");
    unlink("a");
}

static void a_full_disk_is_an_error_and_leaves_the_old_file(void **state)
{
    (void)state;
    struct hd_outfile out;
    struct hd_err err = {0};
    struct rlimit before, small;
    write_whole("a", "old");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1000;
    assert_int_equal(hd_outfile_open("a", &out, &err), HD_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 100000; i++)
        fputc('x', out.file);
    enum hd_status status = hd_outfile_commit(&out, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, HD_ERR_IO);
    assert_int_equal(err.code, HD_ERR_IO);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_int_equal(files_here(), 1);
    expect_text("a", "old");
    unlink("a");
    assert_int_equal(hd_outfile_open("/dev/full", &out, &err), HD_OK);
    fputs("text", out.file);
    assert_int_equal(hd_outfile_commit(&out, &err), HD_ERR_IO);
}

static void odd_targets(void **state)
{
    (void)state;
    struct hd_outfile out;
    struct hd_err err = {0};
    char longer[6000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(hd_outfile_open("no/such/folder", &out, &err), HD_ERR_IO);
    assert_null(out.file);
    assert_int_equal(hd_outfile_open(".", &out, &err), HD_ERR_IO);
    assert_int_equal(hd_outfile_open(longer, &out, &err), HD_ERR_IO);
    write_whole("/dev/null", "gone");
    struct stat st;
    assert_true(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
    assert_int_equal(files_here(), 0);
}

static void links_and_modes_are_kept(void **state)
{
    (void)state;
    struct stat st;
    write_whole("real", "old");
    assert_int_equal(chmod("real", 0640), 0);
    assert_int_equal(symlink("real", "link"), 0);
    write_whole("link", "new");
    expect_text("real", "new");
    assert_true(!lstat("link", &st) && S_ISLNK(st.st_mode));
    assert_int_equal(stat("real", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    unlink("link");
    unlink("real");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_replaces_at_once),
        cmocka_unit_test(discard_leaves_nothing),
        cmocka_unit_test(slots_are_limited_and_reused),
        cmocka_unit_test(the_end_of_the_process_removes_the_temporary),
        cmocka_unit_test(a_forked_child_keeps_its_parents_file),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_the_old_file),
        cmocka_unit_test(odd_targets),
        cmocka_unit_test(links_and_modes_are_kept),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
