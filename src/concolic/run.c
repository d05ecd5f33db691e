#include "concolic/run.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "concolic/arena.h"
#include "drive/record.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process of a run tells us at its end. */
struct answer {
    enum hd_status status;
    int wait_status;
    bool deadlock;
    uint64_t events, threads;
    char text[512];
};

static void redirect(const struct hd_run *r)
{
    int in = open("/dev/null", O_RDONLY), out = open(r->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in >= 0)
        dup2(in, 0);
    if (out >= 0) {
        dup2(out, 1);
        dup2(out, 2);
    }
}

static void go_on(int sig)
{
    (void)sig;
}

/* Processor time, not the clock: a busy machine is no hang. */
static void set_limits(const struct hd_run_limits *limits)
{
    struct rlimit none = {0, 0}, cpu = {(rlim_t)limits->seconds + 1, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGXCPU, go_on); /* for us; exec gives the program the default again */
    setrlimit(RLIMIT_CPU, &cpu);
    if (limits->memory == 0)
        return;
    struct rlimit all = {limits->memory + HD_SYM_SIZE + (UINT64_C(1) << 31), RLIM_INFINITY};
    all.rlim_max = all.rlim_cur;
    setrlimit(RLIMIT_AS, &all);
}

static char **words_of(const struct hd_input *in)
{
    char **argv = hd_calloc(in->words.len + 1, sizeof *argv);
    for (size_t i = 0; i < in->words.len; i++)
        argv[i] = (char *)((struct hd_bytes *)hd_vec_at(&in->words, i))->data;
    return argv;
}

_Noreturn static void run_here(const struct hd_run *r, const struct hd_run_limits *limits, int tell)
{
    struct hd_record_result result;
    struct hd_err err = {0};
    struct answer a = {0};
    char **argv = words_of(r->in);
    setpgid(0, 0); /* the terminal's Ctrl-C is for our parent, which ends us */
    redirect(r);
    set_limits(limits);
    setenv(HD_SYM_ENV, r->arena, 1);
    struct hd_record_opts opts = {
        .out = r->trace, .argv = argv, .policy = HD_POLICY_FIFO, .seed = 1, .quantum = 1};
    opts.depth = opts.steps = 1;
    a.status = hd_drive_record(&opts, &result, &err);
    a.wait_status = result.wait_status;
    a.deadlock = result.info.deadlock;
    a.events = result.events;
    a.threads = result.threads;
    snprintf(a.text, sizeof a.text, "%s", err.text);
    ssize_t n = write(tell, &a, sizeof a);
    _exit(n == (ssize_t)sizeof a ? 0 : 1);
}

enum hd_status hd_run_start(struct hd_run *r, uint32_t number, const struct hd_input *in,
                            const char *dir, const struct hd_run_limits *limits, struct hd_err *err)
{
    int ends[2];
    *r = (struct hd_run){.number = number, .in = in, .answer = -1};
    if (strlen(dir) + 32 > PATH_MAX)
        return hd_err_set(err, HD_ERR_IO, "the path of the folder is too long");
    snprintf(r->trace, sizeof r->trace, "%s/test%06u.hdt", dir, number);
    snprintf(r->arena, sizeof r->arena, "%s/test%06u.arena", dir, number);
    snprintf(r->out, sizeof r->out, "%s/test%06u.out", dir, number);
    enum hd_status s = hd_arena_create(r->arena, in, false, err);
    if (s != HD_OK)
        return s;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0) {
        close(ends[0]);
        run_here(r, limits, ends[1]);
    }
    close(ends[1]);
    r->answer = ends[0];
    r->deadline = hd_progress_now() + 10 * limits->seconds;
    if (r->pid < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot start a process: %s", strerror(errno));
    setpgid(r->pid, r->pid); /* also here: whoever comes first */
    return HD_OK;
}

static void reap(struct hd_run *r)
{
    if (r->pid > 0)
        while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    r->pid = 0;
    if (r->answer >= 0)
        close(r->answer);
    r->answer = -1;
}

/* A process that was killed could not remove its raw log. */
static void remove_log(const struct hd_run *r)
{
    char pattern[PATH_MAX + 16];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.raw-*", r->trace);
    if (glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
}

void hd_run_kill(struct hd_run *r)
{
    bool going = r->pid > 0;
    if (going)
        kill(-r->pid, SIGKILL);
    reap(r);
    if (going) {
        remove_log(r);
        hd_run_remove(r);
    }
}

void hd_run_remove(struct hd_run *r)
{
    unlink(r->trace);
    unlink(r->arena);
    unlink(r->out);
}

/* The line that assert() writes, if the output has one. */
static void find_assertion(struct hd_run *r)
{
    char line[512];
    FILE *f = fopen(r->out, "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "Assertion `") && strstr(line, "' failed")) {
            line[strcspn(line, "\n")] = 0;
            snprintf(r->assertion, sizeof r->assertion, "%s", line);
        }
    if (f)
        fclose(f);
}

static void classify(struct hd_run *r, const struct answer *a, bool late)
{
    r->events = a->events;
    r->threads = a->threads;
    bool used_up = WIFSIGNALED(a->wait_status) && WTERMSIG(a->wait_status) == SIGXCPU;
    if (late || used_up) {
        r->ending = HD_END_TIMEOUT;
    } else if (a->deadlock) {
        r->ending = HD_END_DEADLOCK;
    } else if (WIFSIGNALED(a->wait_status)) {
        r->status = WTERMSIG(a->wait_status);
        r->ending = r->status == SIGKILL ? HD_END_MEMORY : HD_END_SIGNAL;
    } else {
        r->status = WEXITSTATUS(a->wait_status);
        r->ending = HD_END_EXIT;
    }
    if (r->ending == HD_END_SIGNAL && r->status == SIGABRT)
        find_assertion(r);
}

enum hd_status hd_run_wait(struct hd_run *r, struct hd_err *err)
{
    struct answer a = {0};
    struct pollfd p = {r->answer, POLLIN, 0};
    bool late = false;
    while (poll(&p, 1, 50) <= 0) {
        double now = hd_progress_now();
        if (hd_interrupt_requested()) {
            hd_run_kill(r);
            return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
        }
        if (!late && now > r->deadline) {
            late = true;
            kill(r->pid, SIGTERM); /* passed on to the program; its trace is kept */
        } else if (late && now > r->deadline + 60) {
            kill(-r->pid, SIGKILL);
        }
    }
    ssize_t n = read(r->answer, &a, sizeof a);
    reap(r);
    if (n != (ssize_t)sizeof a && late) {
        remove_log(r);
        r->ending = HD_END_TIMEOUT;
        return HD_OK;
    }
    if (n != (ssize_t)sizeof a)
        return hd_err_set(err, HD_ERR_INTERNAL, "the process of run %u died", r->number);
    if (a.status != HD_OK)
        return hd_err_set(err, a.status, "%s", a.text);
    classify(r, &a, late);
    return HD_OK;
}
