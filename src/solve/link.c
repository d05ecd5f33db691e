#include "solve/link.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/process.h"
#include "base/progress.h"
#include "solve/serve.h"
#include "solve/wire.h"
#include "solve/z3_calls.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes that wait for a formula. Any thread may put and take them. */
static struct {
    pthread_mutex_t lock;
    struct hd_link links[HD_LINKS_IDLE];
    unsigned n;
    pid_t owner; /* a copy of the tool made by fork has none */
} idle = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the end ---- */

static int reap(struct hd_link *l)
{
    close(l->fd);
    int status = hd_process_wait(l->pid);
    l->pid = 0;
    return status;
}

static bool lose(struct hd_link *l, enum hd_lost why)
{
    HD_DEBUG_LINE(SOLVE, "process %d is ended: reason %d", (int)l->pid, (int)why);
    kill(l->pid, SIGKILL);
    reap(l);
    l->lost = why;
    return false;
}

static _Noreturn void panic_with(struct hd_link *l)
{
    char text[300] = "Z3: ";
    size_t n = 4;
    ssize_t got;
    while (n + 1 < sizeof text && (got = recv(l->fd, text + n, sizeof text - 1 - n, 0)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    hd_panic(__FILE__, __LINE__, text);
}

/* The process has ended by itself. What C++ does when memory is out, and what the system does, is
 * known; anything else is a fault of the solver. */
static bool lose_ended(struct hd_link *l)
{
    uint8_t reply;
    if (recv(l->fd, &reply, 1, MSG_DONTWAIT) == 1 && reply == HD_REPLY_MISUSE)
        panic_with(l);
    int status = reap(l);
    bool memory = WIFEXITED(status) ? WEXITSTATUS(status) == HD_SERVE_NO_MEMORY
                                    : WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGKILL;
    l->lost = memory ? HD_LOST_MEMORY : HD_LOST_FAILED;
    HD_DEBUG_LINE(SOLVE, "a process ended by itself: %s", memory ? "no memory" : "it failed");
    return false;
}

/* Idle processes would end by themselves, but would stay as zombies. */
static void end_idle(void)
{
    if (idle.owner != getpid())
        return;
    for (; idle.n > 0; idle.n--)
        lose(&idle.links[idle.n - 1], HD_LOST_NOT);
}

/* ---- the beginning ---- */

static bool take_idle(struct hd_link *l)
{
    for (;;) {
        pthread_mutex_lock(&idle.lock);
        bool any = idle.n > 0 && idle.owner == getpid();
        if (any)
            *l = idle.links[--idle.n];
        pthread_mutex_unlock(&idle.lock);
        if (!any)
            return false;
        char none;
        if (recv(l->fd, &none, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN)
            return true;
        lose(l, HD_LOST_FAILED); /* it was killed meanwhile */
    }
}

static bool start(struct hd_link *l)
{
    int ends[2];
    if (!hd_z3_load()) { /* here and not in each child */
        HD_DEBUG_LINE(SOLVE, "no solver: %s", hd_z3_missing());
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return false;
    pid_t pid = fork();
    if (pid == 0)
        hd_serve(ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *l = (struct hd_link){.fd = ends[0], .pid = pid};
    return true;
}

/* A process that was forked while another thread was inside a memory allocator without fork
 * handlers would hang, mostly at once: it sends hello, or another one is tried. */
static bool start_anew(struct hd_link *l)
{
    enum { TRIES = 3, PATIENCE = 20 };
    for (int i = 0; i < TRIES && start(l); i++) {
        uint8_t hello;
        if (hd_link_recv(l, &hello, 1, hd_progress_now() + PATIENCE))
            return true;
        if (l->lost == HD_LOST_STOPPED)
            return false;
    }
    l->lost = HD_LOST_FAILED;
    return false;
}

bool hd_link_open(struct hd_link *l)
{
    *l = (struct hd_link){0};
    if (!take_idle(l)) {
        bool started = start_anew(l);
        HD_DEBUG_LINE(SOLVE, "a solver of its own: %s", started ? "started" : "cannot be started");
        return started;
    }
    *l = (struct hd_link){.fd = l->fd, .pid = l->pid};
    return true;
}

void hd_links_start(unsigned n)
{
    struct hd_link l[HD_LINKS_IDLE];
    unsigned open = 0;
    n = n < HD_LINKS_IDLE ? n : HD_LINKS_IDLE;
    while (open < n && hd_link_open(&l[open]))
        open++;
    while (open)
        hd_link_close(&l[--open], true);
}

void hd_link_close(struct hd_link *l, bool reusable)
{
    if (!l->pid)
        return;
    pthread_mutex_lock(&idle.lock);
    if (idle.owner != getpid())
        idle.n = 0;
    if (!idle.owner)
        atexit(end_idle);
    idle.owner = getpid();
    bool kept = reusable && idle.n < HD_LINKS_IDLE;
    if (kept)
        idle.links[idle.n++] = *l;
    pthread_mutex_unlock(&idle.lock);
    if (!kept)
        lose(l, HD_LOST_NOT);
    l->pid = 0;
}

/* ---- between ---- */

/* Waits until the socket is ready, but looks at the clock and for Ctrl-C in time. */
static bool await(struct hd_link *l, short event, double until)
{
    for (;;) {
        double left = until != 0 ? until - hd_progress_now() : 1;
        if (hd_interrupt_requested())
            return lose(l, HD_LOST_STOPPED);
        if (left <= 0)
            return lose(l, HD_LOST_TIME);
        struct pollfd p = {.fd = l->fd, .events = event};
        if (poll(&p, 1, left < 0.05 ? (int)(left * 1000) + 1 : 50) > 0)
            return true;
    }
}

bool hd_link_send(struct hd_link *l, const void *data, size_t bytes, double until)
{
    const char *from = data;
    while (bytes) {
        if (!await(l, POLLOUT, until))
            return false;
        ssize_t n = send(l->fd, from, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n < 0)
            return lose_ended(l);
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool hd_link_recv(struct hd_link *l, void *data, size_t bytes, double until)
{
    char *to = data;
    while (bytes) {
        if (!await(l, POLLIN, until))
            return false;
        ssize_t n = recv(l->fd, to, bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return lose_ended(l);
        to += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool hd_link_answer(struct hd_link *l, enum hd_sat *sat, double until)
{
    uint8_t reply;
    *sat = HD_SAT_UNKNOWN;
    if (!hd_link_recv(l, &reply, 1, until))
        return false;
    if (reply == HD_REPLY_MISUSE)
        panic_with(l);
    if (reply == HD_REPLY_MEMORY)
        return lose(l, HD_LOST_MEMORY);
    *sat = (enum hd_sat)reply;
    return true;
}
