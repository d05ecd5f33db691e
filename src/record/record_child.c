#include "record/record_child.h"

#include "abi/sym_abi.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/process.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process of a run reports at its end. */
struct answer {
    enum hd_status status;
    int wait_status;
    bool random_addresses, deadlock;
    uint64_t events, threads, after;
    char text[512];
};

/* ---- in the new process ---- */

static void redirect(const struct hd_record_child_opts *o)
{
    int in = open(o->input ? o->input : "/dev/null", O_RDONLY);
    int out = open(o->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
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
static void set_limits(const struct hd_record_child_opts *o)
{
    struct rlimit none = {0, 0}, cpu = {(rlim_t)o->seconds + 1, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGXCPU, go_on); /* for us; exec gives the program the default again */
    setrlimit(RLIMIT_CPU, &cpu);
    if (o->memory == 0)
        return;
    struct rlimit all = {o->memory, o->memory};
    setrlimit(RLIMIT_AS, &all);
}

_Noreturn static void run_here(const struct hd_record_child_opts *o, int tell)
{
    struct hd_record_result result;
    struct hd_err err = {0};
    struct answer a = {0};
    setpgid(0, 0); /* the terminal's Ctrl-C is for our parent, which ends us */
    redirect(o);
    set_limits(o);
    if (o->variable)
        setenv(o->variable, o->value, 1);
    a.status = hd_record_run(&o->record, &result, &err);
    a.wait_status = result.wait_status;
    a.random_addresses = result.random_addresses;
    a.deadlock = result.info.deadlock;
    a.events = result.events;
    a.threads = result.threads;
    if (a.status == HD_OK && o->after)
        a.after = o->after(o->record.out);
    snprintf(a.text, sizeof a.text, "%s", err.text);
    ssize_t n = write(tell, &a, sizeof a);
    _exit(n == (ssize_t)sizeof a ? 0 : 1);
}

/* ---- in ours ---- */

enum hd_status hd_record_child_start(struct hd_record_child *a,
                                     const struct hd_record_child_opts *opts, struct hd_err *err)
{
    int ends[2];
    *a = (struct hd_record_child){.answer = -1};
    int n = snprintf(a->trace, sizeof a->trace, "%s", opts->record.out);
    int m = snprintf(a->output, sizeof a->output, "%s", opts->output);
    if (n >= (int)sizeof a->trace || m >= (int)sizeof a->output)
        return hd_err_set(err, HD_ERR_IO, "the path of the folder is too long");
    if (pipe2(ends, O_CLOEXEC) < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t parent = getpid();
    a->pid = fork();
    if (a->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* and the program with it, which is tied to this one */
        if (getppid() != parent)
            _exit(1);
        close(ends[0]);
        run_here(opts, ends[1]);
    }
    int e = errno;
    close(ends[1]);
    a->answer = ends[0];
    a->deadline = hd_progress_now() + (opts->real > 0 ? opts->real : 10 * opts->seconds);
    if (a->pid < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot start a process: %s", strerror(e));
    setpgid(a->pid, a->pid); /* in both processes: either may come first */
    return HD_OK;
}

static void reap(struct hd_record_child *a)
{
    if (a->pid > 0)
        hd_process_wait(a->pid);
    a->pid = 0;
    if (a->answer >= 0)
        close(a->answer);
    a->answer = -1;
}

/* A process that was killed could not remove what it had begun. */
static void remove_begun(const struct hd_record_child *a)
{
    static const char *const endings[] = {".raw-*", ".tmp*"};
    char pattern[PATH_MAX + 16];
    glob_t found;
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        snprintf(pattern, sizeof pattern, "%s%s", a->trace, endings[k]);
        if (glob(pattern, 0, NULL, &found))
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
}

bool hd_record_child_kill(struct hd_record_child *a)
{
    bool going = a->pid > 0;
    if (going)
        kill(-a->pid, SIGKILL);
    reap(a);
    if (going) {
        remove_begun(a);
        hd_record_child_remove(a);
    }
    return going;
}

void hd_record_child_remove(struct hd_record_child *a)
{
    unlink(a->trace);
    unlink(a->output);
}

/* The line that assert() writes, if the output has one. */
static void find_assertion(struct hd_record_child *a)
{
    char line[512];
    FILE *f = fopen(a->output, "r");
    while (f && fgets(line, sizeof line, f))
        if ((strstr(line, "Assertion `") && strstr(line, "' failed")) ||
            !strncmp(line, HD_SYM_MISUSE, sizeof HD_SYM_MISUSE - 1)) {
            bool misuse = line[0] == HD_SYM_MISUSE[0] && !strstr(line, "Assertion `");
            line[strcspn(line, "\n")] = 0;
            snprintf(a->assertion, sizeof a->assertion, "%s",
                     misuse ? line + sizeof HD_SYM_MISUSE - 1 : line);
        }
    if (f)
        fclose(f);
}

static void classify(struct hd_record_child *a, bool deadlock, bool late)
{
    bool killed = WIFSIGNALED(a->wait_status);
    int sig = killed ? WTERMSIG(a->wait_status) : 0;
    if (late || sig == SIGXCPU) {
        a->ending = HD_END_TIMEOUT;
    } else if (deadlock) {
        a->ending = HD_END_DEADLOCK;
    } else if (killed) {
        a->status = sig;
        a->ending = sig == SIGKILL ? HD_END_MEMORY : HD_END_SIGNAL;
    } else {
        a->status = WEXITSTATUS(a->wait_status);
        a->ending = HD_END_EXIT;
    }
    if (a->ending == HD_END_SIGNAL && sig == SIGABRT)
        find_assertion(a);
}

enum hd_status hd_record_child_wait(struct hd_record_child *a, struct hd_err *err)
{
    struct answer told = {0};
    struct pollfd p = {a->answer, POLLIN, 0};
    bool late = false;
    HD_ASSERT(a->pid);
    while (poll(&p, 1, 50) <= 0) {
        double now = hd_progress_now();
        if (hd_interrupt_requested()) {
            hd_record_child_kill(a);
            return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
        }
        if (!late && now > a->deadline) {
            late = true;
            HD_DEBUG_LINE(RECORD, "the time of %s is up", a->trace);
            kill(a->pid, SIGTERM); /* passed on to the program; its trace is kept */
        } else if (late && now > a->deadline + 60) {
            kill(-a->pid, SIGKILL);
        }
    }
    ssize_t n = read(a->answer, &told, sizeof told);
    reap(a);
    if (n != (ssize_t)sizeof told && late) {
        remove_begun(a);
        a->ending = HD_END_TIMEOUT;
        return HD_OK;
    }
    if (n != (ssize_t)sizeof told)
        return hd_err_set(err, HD_ERR_INTERNAL, "the process that records %s died", a->trace);
    if (told.status != HD_OK)
        return hd_err_set(err, told.status, "%s", told.text);
    a->events = told.events;
    a->threads = told.threads;
    a->after = told.after;
    a->wait_status = told.wait_status;
    a->random_addresses = told.random_addresses;
    classify(a, told.deadlock, late);
    HD_DEBUG_LINE(RECORD, "%s: %llu events, %llu threads, status %d", a->trace,
                  (unsigned long long)a->events, (unsigned long long)a->threads, a->wait_status);
    return HD_OK;
}
