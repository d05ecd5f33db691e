#include "drive/record.h"

#include "drive/inputs.h"
#include "drive/program.h"
#include "trace/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum hd_status make_log(const struct hd_record_opts *opts, char *path, size_t size,
                               struct hd_err *err)
{
    struct hd_log_header h = {
        .magic = HD_LOG_MAGIC,
        .version = HD_LOG_VERSION,
        .policy = (uint32_t)opts->policy,
        .seed = opts->seed,
        .quantum = opts->quantum,
        .depth = opts->depth,
        .steps = opts->steps,
        .entropy = opts->seed,
    };
    char page[HD_LOG_PAGE] = {0}, here[PATH_MAX] = "";
    if (opts->out[0] != '/' && !getcwd(here, sizeof here))
        return hd_err_set(err, HD_ERR_IO, "cannot find the working directory: %s", strerror(errno));
    int n = snprintf(path, size, "%s%s%s.raw-XXXXXX", here, *here ? "/" : "", opts->out);
    if (n < 0 || (size_t)n >= size)
        return hd_err_set(err, HD_ERR_IO, "the path of the trace is too long");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        int e = errno;
        *path = 0;
        return hd_err_set(err, HD_ERR_IO, "cannot write beside %s: %s", opts->out, strerror(e));
    }
    memcpy(page, &h, sizeof h);
    ssize_t done = write(fd, page, sizeof page);
    close(fd);
    if (done != (ssize_t)sizeof page)
        return hd_err_set(err, HD_ERR_IO, "cannot write beside %s: %s", opts->out, strerror(errno));
    return HD_OK;
}

/* In the child. Tells the parent through `tell` why it could not start. */
_Noreturn static void start(const struct hd_record_opts *opts, const char *log, int tell)
{
    int now = personality(0xffffffff);
    if (now >= 0)
        personality((unsigned)now |
                    ADDR_NO_RANDOMIZE); /* the result is checked by the parent's way */
    setenv(HD_LOG_ENV, log, 1);
    execvp(opts->argv[0], opts->argv);
    int e = errno;
    if (write(tell, &e, sizeof e) < 0)
        _exit(127);
    _exit(127);
}

static volatile sig_atomic_t child_pid, late;

/* A signal often comes to us and to the program, or twice. While the trace is written, only the
 * third one ends us. */
static void pass_on(int sig)
{
    if (child_pid > 0) {
        kill((pid_t)child_pid, sig);
    } else if (++late == 3) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define N_PASSED (sizeof passed / sizeof *passed)

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static enum hd_status run(const struct hd_record_opts *opts, const char *log,
                          const struct sigaction *old, struct hd_record_result *result,
                          struct hd_err *err)
{
    int tell[2], e = 0;
    if (pipe2(tell, O_CLOEXEC) < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    sigset_t block, before;
    sigemptyset(&block);
    for (size_t i = 0; i < N_PASSED; i++)
        sigaddset(&block, passed[i]);
    sigprocmask(SIG_BLOCK, &block,
                &before); /* no signal gets lost while we do not know the child */
    pid_t pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < N_PASSED; i++)
            sigaction(passed[i], &old[i], NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        close(tell[0]);
        start(opts, log, tell[1]);
    }
    e = errno;
    close(tell[1]);
    child_pid = pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    enum hd_status s = HD_OK;
    if (pid < 0) {
        s = hd_err_set(err, HD_ERR_IO, "cannot start a process: %s", strerror(e));
    } else if (read(tell[0], &e, sizeof e) == (ssize_t)sizeof e) {
        wait_for(pid);
        s = hd_err_set(err, HD_ERR_INPUT, "%s cannot be started: %s", opts->argv[0], strerror(e));
    } else {
        result->wait_status = wait_for(pid);
        result->ran = true;
    }
    child_pid = 0;
    close(tell[0]);
    return s;
}

/* What the run got from outside, for a replay. */
static void keep_inputs(const struct hd_record_opts *opts, const char *log, const char *program,
                        const struct hd_bytes *input, struct hd_trace *trace)
{
    struct hd_log_header h = {0};
    char here[PATH_MAX] = "/", full[PATH_MAX], fds[4] = "";
    int fd = open(log, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &h, sizeof h) != (ssize_t)sizeof h)
        h = (struct hd_log_header){0};
    if (fd >= 0)
        close(fd);
    for (int i = 0; i < 3; i++)
        fds[i] = hd_inputs_fd(i);
    if (!getcwd(here, sizeof here) || !realpath(program, full))
        return;
    hd_inputs_save(trace, full, opts->argv, environ, here, fds, input, &h);
}

/* What the user was told about the trace stays with it. */
static void keep_notes(struct hd_trace *trace, const struct hd_names *notes)
{
    hd_trace_meta_add(trace, "notes", NULL, 0);
    for (uint32_t i = 0; i < notes->count; i++) {
        const char *note = hd_names_text(notes, i);
        hd_trace_meta_add(trace, "notes", note, strlen(note) + 1);
    }
}

static enum hd_status refuse(const char *name, const char *program, struct hd_err *err)
{
    switch (hd_program_kind(program)) {
    case HD_PROGRAM_NOT:
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not instrumented: compile and link it with heddle cc", name);
    case HD_PROGRAM_TSAN:
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is linked with ThreadSanitizer's runtime: link it with heddle cc",
                          name);
    default:
        return HD_OK;
    }
}

/* The program ran, and our runtime did not. */
static enum hd_status not_claimed(const struct hd_record_opts *opts, const char *program,
                                  int status, struct hd_err *err)
{
    if (hd_program_kind(program) != HD_PROGRAM_INSTRUMENTED)
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not instrumented: compile and link it with heddle cc",
                          opts->argv[0]);
    if (WIFSIGNALED(status))
        return hd_err_set(err, HD_ERR_INPUT, "%s was ended by signal %d before it started",
                          opts->argv[0], WTERMSIG(status));
    return hd_err_set(err, HD_ERR_INPUT, "%s ended with status %d before it started", opts->argv[0],
                      WEXITSTATUS(status));
}

static enum hd_status keep(const struct hd_record_opts *opts, const char *log, const char *program,
                           const struct hd_bytes *input, struct hd_record_result *result,
                           struct hd_err *err)
{
    struct hd_trace *trace = NULL;
    struct stat st;
    enum hd_status s = hd_drive_build(log, &trace, &result->info, err);
    if (s == HD_OK && !result->info.claimed)
        s = not_claimed(opts, program, result->wait_status, err);
    if (s == HD_OK) {
        keep_inputs(opts, log, program, input, trace);
        hd_program_unmodelled(program, &result->info.notes);
        keep_notes(trace, &result->info.notes);
        result->events = trace->n_events;
        result->threads = hd_trace_n_threads(trace);
        result->locations = hd_trace_n_objs(trace, HD_OBJ_LOC);
        s = hd_trace_save(trace, opts->out, HD_FORMAT_HDT, err);
    }
    if (s == HD_OK && stat(opts->out, &st) == 0)
        result->bytes = (uint64_t)st.st_size;
    hd_trace_free(trace);
    return s;
}

/* ---- forked children, and programs that others became ---- */

/* "t.hdt" and "child1": "t.child1.hdt". */
static bool name_of(const char *out, const char *what, char *name, size_t size)
{
    size_t n = strlen(out), ext = n > 4 && !strcmp(out + n - 4, ".hdt") ? 4 : 0;
    int len = snprintf(name, size, "%.*s.%s%s", (int)(n - ext), out, what, out + n - ext);
    return len > 0 && (size_t)len < size;
}

/* One more process: its trace at `out`. */
static void keep_one(const char *log, const char *out, const struct hd_build_parent *parents,
                     size_t n, struct hd_names *notes)
{
    struct hd_trace *trace = NULL;
    struct hd_build_info info = {0};
    struct hd_err err = {0};
    char text[PATH_MAX + 200];
    enum hd_status s = hd_drive_build_child(log, parents, n, &trace, &info, &err);
    uint64_t events = trace ? trace->n_events : 0;
    if (s == HD_OK)
        keep_notes(trace, &info.notes);
    if (s == HD_OK)
        s = hd_trace_save(trace, out, HD_FORMAT_HDT, &err);
    if (s == HD_OK)
        snprintf(text, sizeof text, "%s: %" PRIu64 " events of another process of the program", out,
                 events);
    else
        snprintf(text, sizeof text, "%s: %.150s", out, err.text);
    hd_names_add(notes, text, strlen(text));
    if (s == HD_OK && info.lost) {
        snprintf(text, sizeof text, "%s is incomplete: %s", out, strerror((int)info.lost));
        hd_names_add(notes, text, strlen(text));
    }
    for (uint32_t i = 0; i < info.notes.count; i++) {
        const char *note = hd_names_text(&info.notes, i);
        hd_names_add(notes, note, strlen(note));
    }
    hd_trace_free(trace);
    hd_build_info_fini(&info);
}

static void keep_family(const char *log, const char *out, struct hd_build_parent *parents, size_t n,
                        struct hd_names *notes)
{
    char path[PATH_MAX], name[PATH_MAX], what[32];
    for (unsigned child = 0; child <= HD_LOG_CHILDREN; child++) {
        bool became = child == 0;
        int len = became ? snprintf(path, sizeof path, "%s.x", log)
                         : snprintf(path, sizeof path, "%s.%u", log, child);
        snprintf(what, sizeof what, became ? "exec" : "child%u", child);
        if (len < 0 || (size_t)len >= sizeof path || access(path, R_OK))
            continue;
        size_t depth = became ? 0 : n + 1;
        if (depth <= HD_BUILD_PARENTS && name_of(out, what, name, sizeof name)) {
            if (!became)
                parents[n] = (struct hd_build_parent){log, child};
            keep_one(path, name, parents, depth, notes);
            keep_family(path, name, parents, depth, notes);
        }
        unlink(path);
    }
}

enum hd_status hd_drive_record(const struct hd_record_opts *opts, struct hd_record_result *result,
                               struct hd_err *err)
{
    char log[PATH_MAX] = "", program[PATH_MAX];
    *result = (struct hd_record_result){0};
    int now = personality(0xffffffff);
    result->random_addresses = now < 0 || personality((unsigned)now | ADDR_NO_RANDOMIZE) < 0;
    if (now >= 0)
        personality((unsigned)now);
    struct sigaction act = {.sa_handler = pass_on}, old[N_PASSED];
    enum hd_status s = hd_program_find(opts->argv[0], program, sizeof program, err);
    if (s == HD_OK)
        s = refuse(opts->argv[0], program, err);
    struct hd_bytes input = {0};
    bool have_input = hd_inputs_read(0, &input);
    child_pid = late = 0;
    for (size_t i = 0; i < N_PASSED; i++)
        sigaction(passed[i], &act, &old[i]);
    if (s == HD_OK)
        s = make_log(opts, log, sizeof log, err);
    if (s == HD_OK)
        s = run(opts, log, old, result, err);
    if (s == HD_OK)
        s = keep(opts, log, program, have_input ? &input : NULL, result, err);
    struct hd_build_parent parents[HD_BUILD_PARENTS + 1];
    if (s == HD_OK)
        keep_family(log, opts->out, parents, 0, &result->info.notes);
    hd_bytes_fini(&input);
    if (*log)
        unlink(log);
    for (size_t i = 0; i < N_PASSED; i++)
        sigaction(passed[i], &old[i], NULL);
    return s;
}

void hd_record_result_fini(struct hd_record_result *result)
{
    hd_build_info_fini(&result->info);
}
