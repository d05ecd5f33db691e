#include "base/process.h"

#include "base/alloc.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the child, which has our memory: only calls of the system ---- */

static void set_signals(const struct hd_process *p)
{
    for (int sig = 1; sig < NSIG; sig++) {
        struct sigaction old;
        bool ignore = p->ignored && sigismember(p->ignored, sig) == 1;
        if (sigaction(sig, NULL, &old) == 0 && (ignore || old.sa_handler != SIG_DFL))
            signal(sig, ignore ? SIG_IGN : SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, p->mask ? p->mask : &none, NULL);
}

static bool set_up(const struct hd_process *p)
{
    if (p->fixed_addresses) { /* where it is forbidden the program runs all the same */
        int now = personality(0xffffffff);
        if (now >= 0)
            personality((unsigned)now | ADDR_NO_RANDOMIZE);
    }
    if (p->own_group)
        setpgid(0, 0);
    if (p->tied)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < p->n_fds; i++)
        if (dup2(p->fds[i].ours, p->fds[i].theirs) < 0)
            return false;
    return !p->cwd || chdir(p->cwd) == 0;
}

_Noreturn static void become(const struct hd_process *p, volatile int *why)
{
    set_signals(p);
    if (set_up(p))
        execvpe(p->file, p->argv, p->env ? p->env : environ);
    *why = errno;
    _exit(127);
}

/* ---- in ours ---- */

enum hd_status hd_process_start(const struct hd_process *p, pid_t *pid, struct hd_err *err)
{
    sigset_t all, before;
    volatile int why = 0;
    HD_ASSERT(p->file && p->argv && p->argv[0]);
    fflush(NULL);
    /* A handler of ours must not run in the child. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = vfork();
    if (child == 0)
        become(p, &why);
    if (child < 0)
        why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot start a process: %s", strerror(why));
    if (why) {
        hd_process_wait(child);
        return hd_err_set(err, HD_ERR_INPUT, "%s cannot be started: %s", p->file, strerror(why));
    }
    HD_DEBUG_LINE(BASE, "started %s as process %d", p->file, (int)child);
    *pid = child;
    return HD_OK;
}

int hd_process_wait(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

bool hd_process_ended(pid_t pid, int *status)
{
    pid_t r = waitpid(pid, status, WNOHANG);
    return r == pid || (r < 0 && errno != EINTR);
}

int hd_process_watch(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* What does not fit is read all the same: the program must not block. */
static void read_all(int fd, char *text, size_t size)
{
    size_t used = 0;
    char rest[256];
    for (;;) {
        bool fits = used + 1 < size;
        ssize_t n = read(fd, fits ? text + used : rest, fits ? size - 1 - used : sizeof rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += fits ? (size_t)n : 0;
    }
    text[used] = 0;
}

enum hd_status hd_process_capture(const struct hd_process *p, int fd, char *text, size_t size,
                                  int *status, struct hd_err *err)
{
    enum { MOST = 4 };
    struct hd_process_fd fds[MOST];
    struct hd_process with = *p;
    int ends[2];
    pid_t pid;
    HD_ASSERT(p->n_fds < MOST && size > 0);
    *text = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    for (size_t i = 0; i < p->n_fds; i++)
        fds[i] = p->fds[i];
    fds[with.n_fds++] = (struct hd_process_fd){ends[1], fd};
    with.fds = fds;
    enum hd_status s = hd_process_start(&with, &pid, err);
    close(ends[1]);
    if (s == HD_OK) {
        read_all(ends[0], text, size);
        *status = hd_process_wait(pid);
    }
    close(ends[0]);
    return s;
}

/* ---- environments ---- */

static void env_add(struct hd_process_env *e, char *text)
{
    if (e->n + 1 >= e->room) {
        size_t room = e->room ? 2 * e->room : 64;
        e->list = hd_realloc_array(e->list, e->room, room, sizeof *e->list);
        e->room = room;
    }
    e->list[e->n++] = text;
    e->list[e->n] = NULL;
}

void hd_process_env_init(struct hd_process_env *e, char *const *from)
{
    *e = (struct hd_process_env){0};
    for (; *from; from++)
        env_add(e, hd_strndup(*from, strlen(*from)));
}

void hd_process_env_set(struct hd_process_env *e, const char *name, const char *value)
{
    size_t len = strlen(name), bytes = len + strlen(value) + 2;
    char *text = hd_alloc(bytes);
    snprintf(text, bytes, "%s=%s", name, value);
    for (size_t i = 0; i < e->n; i++)
        if (!strncmp(e->list[i], text, len + 1)) {
            hd_free(e->list[i], strlen(e->list[i]) + 1);
            e->list[i] = text;
            return;
        }
    env_add(e, text);
}

void hd_process_env_fini(struct hd_process_env *e)
{
    for (size_t i = 0; i < e->n; i++)
        hd_free(e->list[i], strlen(e->list[i]) + 1);
    hd_free(e->list, e->room * sizeof *e->list);
    *e = (struct hd_process_env){0};
}
