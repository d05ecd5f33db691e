#include "record/launch.h"

#include "abi/rt_arrivals.h"
#include "abi/rt_schedule.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/process.h"
#include "log/rt_log.h"
#include "record/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
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

/* Its environment, with what the runtime has to know. */
static void make_env(const struct hd_child *c, struct hd_process_env *e)
{
    hd_process_env_init(e, c->env ? c->env : environ);
    if (c->log)
        hd_process_env_set(e, HD_LOG_ENV, c->log);
    if (c->sched)
        hd_process_env_set(e, HD_SCHED_ENV, c->sched);
    if (c->arrivals)
        hd_process_env_set(e, HD_ARRIVALS_ENV, c->arrivals);
    if (c->preload && !c->terminal)
        hd_preload_into(e);
}

static enum hd_status start(const struct hd_child *c, const struct sink *sinks, int input,
                            pid_t *pid, struct hd_err *err)
{
    const struct hd_process_fd fds[] = {{input, 0}, {sinks[0].theirs, 1}, {sinks[1].theirs, 2}};
    struct hd_process_env env;
    struct hd_process p = {.file = c->program,
                           .argv = c->argv,
                           .cwd = c->cwd,
                           .fds = fds,
                           .n_fds = c->terminal ? 0 : 3,
                           .own_group = !c->terminal,
                           .tied = !c->terminal,
                           .fixed_addresses = true};
    make_env(c, &env);
    p.env = env.list;
    enum hd_status s = hd_process_start(&p, pid, err);
    hd_process_env_fini(&env);
    return s;
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
    int gone = hd_process_watch(pid); /* old kernels have none: then we look */
    for (unsigned wait = 1;; wait = gone >= 0 || wait > LOOK_MS / 2 ? LOOK_MS : wait * 2) {
        bool ended = hd_process_ended(pid, status);
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

static enum hd_status run(const struct hd_child *c, struct sink *sinks, int input,
                          struct hd_child_result *result, struct hd_err *err)
{
    pid_t pid;
    lseek(input, 0, SEEK_SET); /* a file is read again in every execution */
    enum hd_status s = start(c, sinks, input, &pid, err);
    if (s != HD_OK)
        return s;
    for (int i = 0; i < 2; i++)
        if (!sinks[i].file)
            close_fd(&sinks[i].theirs);
    if (c->terminal) {
        result->wait_status = hd_process_wait(pid);
        return HD_OK;
    }
    bool ended = watch(c, pid, sinks, &result->wait_status);
    kill(-pid, SIGKILL); /* and what it may have left running */
    if (!ended)
        result->wait_status = hd_process_wait(pid);
    result->timed_out = !ended;
    return hd_interrupt_requested() ? hd_err_set(err, HD_ERR_STOPPED, "interrupted") : HD_OK;
}

enum hd_status hd_child_run(const struct hd_child *c, struct hd_child_result *result,
                            struct hd_err *err)
{
    *result = (struct hd_child_result){0};
    struct sink sinks[2] = {{-1, -1, false, false, &result->out, &result->out_total},
                            {-1, -1, false, false, &result->err, &result->err_total}};
    int input = c->input >= 0 ? dup(c->input) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    enum hd_status s;
    if (input < 0 || !open_sink(&sinks[0], c->fds ? c->fds[1] : 'f') ||
        !open_sink(&sinks[1], c->fds ? c->fds[2] : 'f'))
        s = hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    else
        s = run(c, sinks, input, result, err);
    for (int i = 0; i < 2; i++) {
        if (sinks[i].ours >= 0)
            drain(c, &sinks[i], i + 1);
        if (sinks[i].theirs != sinks[i].ours)
            close_fd(&sinks[i].theirs);
        close_fd(&sinks[i].ours);
    }
    close_fd(&input);
    HD_DEBUG_LINE(RECORD, "%s ended with status %d%s", c->program, result->wait_status,
                  result->timed_out ? ", its time was up" : "");
    return s;
}

void hd_child_result_fini(struct hd_child_result *result)
{
    hd_bytes_fini(&result->out);
    hd_bytes_fini(&result->err);
}
