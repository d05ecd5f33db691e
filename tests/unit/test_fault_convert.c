/* Converting a trace while memory or disk runs out: whatever fails, no half-written file remains
 * and an old file keeps its content. Each failure has a process of its own, since running out ends
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "trace/trace_io.h"

enum { EVENTS = 2000, FIRST_ALLOCATIONS = 200, MOST_ALLOCATIONS = 3000 };
enum { DONE = 0, OUT_OF_MEMORY = 4, OUT_OF_MEMORY_WHILE_WRITING = 14, REFUSED = 3 };

static char dir[] = HD_TEST_TMP "/fault-XXXXXX";
static const char old_text[] = "old content\n";

static int enter(void **state)
{
    (void)state;
    if (!mkdtemp(dir) || chdir(dir))
        return -1;
    FILE *f = fopen("in.trace", "w");
    if (!f)
        return -1;
    fputs("!control branches\nt0|fork(t1)|main.c:1\n", f);
    for (int i = 0; i < EVENTS; i++)
        fprintf(f, "t%d|w(x%d,%d)|main.c:%d\n", i % 2, i % 97, i, i);
    return fclose(f);
}

static int leave(void **state)
{
    (void)state;
    return unlink("in.trace") || chdir("/") || rmdir(dir);
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

static size_t files_before; /* set by the parent, read by the child's hook */
static int ran_out;

/* Asked by LeakSanitizer at exit. A process that ran out of memory frees nothing, on purpose. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return ran_out;
}

static void tell_when(size_t bytes)
{
    (void)bytes;
    ran_out = 1;
    exit(files_here() > files_before ? OUT_OF_MEMORY_WHILE_WRITING : OUT_OF_MEMORY);
}

struct job {
    const char *target;
    enum hd_format format;
    size_t fail_at;    /* this allocation, or 0 */
    rlim_t disk_bytes; /* the file may grow to this, or 0 */
};

static _Noreturn void convert(const struct job *job)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (job->disk_bytes) {
        struct rlimit limit = {job->disk_bytes, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    hd_alloc_set_oom_hook(tell_when);
    hd_alloc_fail_at(job->fail_at);
    enum hd_status status = hd_trace_io_load("in.trace", &t, &err);
    if (status == HD_OK) {
        status = hd_trace_io_save(t, job->target, job->format, &err);
        hd_trace_free(t);
    }
    exit(status == HD_OK ? DONE : REFUSED);
}

static int run(const struct job *job)
{
    int status;
    files_before = files_here();
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        convert(job);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void put_old(const char *target)
{
    FILE *f = fopen(target, "w");
    assert_non_null(f);
    fputs(old_text, f);
    fclose(f);
}

static void expect_old(const char *target)
{
    char got[64] = {0};
    int fd = open(target, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, got, sizeof got), sizeof old_text - 1);
    close(fd);
    assert_string_equal(got, old_text);
}

/* A whole file reads back. */
static void expect_whole(const char *target)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    struct hd_load_info info;
    assert_int_equal(hd_trace_io_load_info(target, &t, &info, &err), HD_OK);
    assert_false(info.truncated);
    assert_int_equal(t->n_events, EVENTS + 1);
    hd_trace_free(t);
}

/* Fails each of the first 200 allocations, then every 13th until the conversion gets through. */
static void fail_allocations(const char *target, enum hd_format format)
{
    bool while_writing = false;
    for (size_t n = 1;; n += n < FIRST_ALLOCATIONS ? 1 : 13) {
        assert_true(n < MOST_ALLOCATIONS);
        put_old(target);
        int code = run(&(struct job){.target = target, .format = format, .fail_at = n});
        assert_int_equal(files_here(), 2);
        if (code == DONE)
            break;
        if (code != OUT_OF_MEMORY && code != OUT_OF_MEMORY_WHILE_WRITING)
            fail_msg("allocation %zu of the conversion to %s: exit %d", n, target, code);
        while_writing |= code == OUT_OF_MEMORY_WHILE_WRITING;
        expect_old(target);
        unlink(target);
        run(&(struct job){.target = target, .format = format, .fail_at = n});
        assert_int_equal(files_here(), 1);
    }
    expect_whole(target);
    unlink(target);
    if (format == HD_FORMAT_HDT && !while_writing)
        fail_msg("no allocation failed while %s was being written: the test shows nothing", target);
}

static void hdt_without_memory(void **state)
{
    (void)state;
    fail_allocations("out.hdt", HD_FORMAT_HDT);
}

static void text_without_memory(void **state)
{
    (void)state;
    fail_allocations("out.trace", HD_FORMAT_TEXT);
}

static void packed_text_without_memory(void **state)
{
    (void)state;
    fail_allocations("out.trace.zst", HD_FORMAT_TEXT);
}

static void without_disk(void **state)
{
    (void)state;
    static const struct job jobs[] = {
        {.target = "out.hdt", .format = HD_FORMAT_HDT},
        {.target = "out.trace", .format = HD_FORMAT_TEXT},
        {.target = "out.trace.zst", .format = HD_FORMAT_TEXT},
        {.target = "out.trace.gz", .format = HD_FORMAT_TEXT},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct job job = jobs[i];
        rlim_t sizes[] = {1, 7, 64, 500, 1000, 2000};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            job.disk_bytes = sizes[k];
            put_old(job.target);
            assert_int_equal(run(&job), REFUSED);
            expect_old(job.target);
            assert_int_equal(files_here(), 2);
            unlink(job.target);
        }
        job.disk_bytes = 0;
        assert_int_equal(run(&job), DONE);
        expect_whole(job.target);
        unlink(job.target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdt_without_memory),
        cmocka_unit_test(text_without_memory),
        cmocka_unit_test(packed_text_without_memory),
        cmocka_unit_test(without_disk),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
