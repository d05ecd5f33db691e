#include "record/launch.h"

#include "base/interrupt.h"
#include "abi/rt_arrivals.h"
#include "log/rt_log.h"
#include "abi/rt_schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 50 /* how often we look whether the user wants to stop */

/* Both ends of a place for output. A file is read when the program has ended. */
struct sink {
    int ours, theirs;
    bool file, closed;
    struct hd_bytes *text;
    uint64_t *total;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A pipe where the recorded run had one, because the runtime orders the ends of pipes; a file
 * otherwise. */
static bool open_sink(struct sink *s, char kind)
{
    int p[2];
    s->file = kind != 'p';
    if (s->file) {
        s->ours = s->theirs = memfd_create("heddle-output", MFD_CLOEXEC);
        return s->ours >= 0;
    }
    if (pipe2(p, O_CLOEXEC) < 0)
        return false;
    s->ours = p[0];
    s->theirs = p[1];
    fcntl(s->ours, F_SETFL, O_NONBLOCK);
    return true;
}

static void keep(const struct hd_child *c, struct sink *s, const char *data, size_t n, int shown)
{
    size_t room = s->text->len < c->kept ? c->kept - s->text->len : 0;
    hd_bytes_put(s->text, data, n < room ? n : room);
    *s->total += n;
    while (c->show && n) {
        ssize_t done = write(shown, data, n);
        if (done <= 0)
            return;
        data += done;
        n -= (size_t)done;
    }
}

static void drain(const struct hd_child *c, struct sink *s, int shown)
{
    char part[65536];
    ssize_t n;
    if (s->file)
        lseek(s->ours, 0, SEEK_SET);
    while ((n = read(s->ours, part, sizeof part)) > 0)
        keep(c, s, part, (size_t)n, shown);
}

_Noreturn static void tell_and_exit(int tell)
{
    int e = errno;
    if (write(tell, &e, sizeof e) < 0)
        _exit(126);
    _exit(127);
}

_Noreturn static void start(const struct hd_child *c, int input, int out, int err, int tell)
{
    int now = personality(0xffffffff);
    if (now >= 0)
        personality((unsigned)now | ADDR_NO_RANDOMIZE);
    if (!c->terminal) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(input, 0);
        dup2(out, 1);
        dup2(err, 2);
    }
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (c->cwd && chdir(c->cwd) < 0)
        tell_and_exit(tell);
    if (c->env)
        environ = c->env;
    if (c->log)
        setenv(HD_LOG_ENV, c->log, 1);
    if (c->sched)
        setenv(HD_SCHED_ENV, c->sched, 1);
    if (c->arrivals)
        setenv(HD_ARRIVALS_ENV, c->arrivals, 1);
    execvp(c->program, c->argv);
    tell_and_exit(tell);
}

static uint64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Until it ends, the time is up or the user interrupts; true: it ended by itself. */
static bool watch(const struct hd_child *c, pid_t pid, struct sink *sinks, int *status)
{
    uint64_t end = c->timeout > 0 ? now_ms() + (uint64_t)(c->timeout * 1000) : UINT64_MAX;
    int gone = (int)syscall(SYS_pidfd_open, pid, 0); /* old kernels have none: then we look */
    for (unsigned wait = 1;; wait = gone >= 0 || wait > LOOK_MS / 2 ? LOOK_MS : wait * 2) {
        pid_t r = waitpid(pid, status, WNOHANG);
        bool ended = r == pid || (r < 0 && errno != EINTR);
        if (ended || hd_interrupt_requested() || now_ms() >= end) {
            close_fd(&gone);
            return ended;
        }
        struct pollfd p[3];
        for (int i = 0; i < 2; i++)
            p[i] =
                (struct pollfd){sinks[i].file || sinks[i].closed ? -1 : sinks[i].ours, POLLIN, 0};
        p[2] = (struct pollfd){gone, POLLIN, 0};
        poll(p, 3, (int)wait);
        for (int i = 0; i < 2; i++) {
            if (p[i].revents & POLLIN)
                drain(c, &sinks[i], i + 1);
            else
                sinks[i].closed = sinks[i].closed || p[i].revents;
        }
    }
}

static enum hd_status run(const struct hd_child *c, struct sink *sinks, int input, int *tell,
                          struct hd_child_result *result, struct hd_err *err)
{
    int e;
    fflush(NULL);
    lseek(input, 0, SEEK_SET); /* a file is read again in every execution */
    pid_t pid = fork();
    if (pid == 0)
        start(c, input, sinks[0].theirs, sinks[1].theirs, tell[1]);
    e = errno;
    close_fd(&tell[1]);
    if (pid < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot start a process: %s", strerror(e));
    for (int i = 0; i < 2; i++)
        if (!sinks[i].file)
            close_fd(&sinks[i].theirs);
    if (read(tell[0], &e, sizeof e) == (ssize_t)sizeof e) {
        waitpid(pid, &result->wait_status, 0);
        return hd_err_set(err, HD_ERR_INPUT, "%s cannot be started: %s", c->program, strerror(e));
    }
    if (c->terminal) {
        while (waitpid(pid, &result->wait_status, 0) < 0 && errno == EINTR)
            continue;
        return HD_OK;
    }
    bool ended = watch(c, pid, sinks, &result->wait_status);
    kill(-pid, SIGKILL); /* and what it may have left running */
    while (!ended && waitpid(pid, &result->wait_status, 0) < 0 && errno == EINTR)
        continue;
    result->timed_out = !ended;
    return hd_interrupt_requested() ? hd_err_set(err, HD_ERR_STOPPED, "interrupted") : HD_OK;
}

enum hd_status hd_child_run(const struct hd_child *c, struct hd_child_result *result,
                            struct hd_err *err)
{
    *result = (struct hd_child_result){0};
    struct sink sinks[2] = {{-1, -1, false, false, &result->out, &result->out_total},
                            {-1, -1, false, false, &result->err, &result->err_total}};
    int tell[2] = {-1, -1};
    int input = c->input >= 0 ? dup(c->input) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    enum hd_status s;
    if (input < 0 || pipe2(tell, O_CLOEXEC) < 0 ||
        !open_sink(&sinks[0], c->fds ? c->fds[1] : 'f') ||
        !open_sink(&sinks[1], c->fds ? c->fds[2] : 'f'))
        s = hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    else
        s = run(c, sinks, input, tell, result, err);
    for (int i = 0; i < 2; i++) {
        if (sinks[i].ours >= 0)
            drain(c, &sinks[i], i + 1);
        if (sinks[i].theirs != sinks[i].ours)
            close_fd(&sinks[i].theirs);
        close_fd(&sinks[i].ours);
    }
    close_fd(&input);
    close_fd(&tell[0]);
    close_fd(&tell[1]);
    return s;
}

void hd_child_result_fini(struct hd_child_result *result)
{
    hd_bytes_fini(&result->out);
    hd_bytes_fini(&result->err);
}
