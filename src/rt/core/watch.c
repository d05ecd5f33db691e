/* What each epoll descriptor watches, so that its answers are looks at these channels and no
 * others. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/watch.h"

#include "rt/core/live_arrivals.h"
#include "rt/libc/chan.h"

#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

struct watch {
    int ep, fd;
    bool reads;
    struct watch *next;
};
static struct watch *all, **all_end = &all, *spare;

static struct watch **find(int ep, int fd)
{
    struct watch **at = &all;
    while (*at && ((*at)->ep != ep || (*at)->fd != fd))
        at = &(*at)->next;
    return at;
}

static void drop(struct watch **at)
{
    struct watch *w = *at;
    *at = w->next;
    if (all_end == &w->next)
        all_end = at;
    w->next = spare;
    spare = w;
}

void hd_rt_watch_ctl(int ep, int op, int fd, uint32_t events)
{
    struct watch **at = find(ep, fd);
    if (op == EPOLL_CTL_DEL) {
        if (*at)
            drop(at);
        return;
    }
    struct watch *w = *at;
    if (!w) {
        w = spare;
        if (w)
            spare = w->next;
        else
            w = hd_rt_mem(sizeof *w);
        *w = (struct watch){.ep = ep, .fd = fd};
        *all_end = w;
        all_end = &w->next;
    }
    w->reads = events & (EPOLLIN | EPOLLRDNORM | EPOLLRDHUP);
}

void hd_rt_watch_closing(int fd)
{
    for (struct watch **at = &all; *at;)
        if ((*at)->ep == fd || (*at)->fd == fd)
            drop(at);
        else
            at = &(*at)->next;
}

/* An epoll descriptor may watch another one; the kernel allows five in a row. */
static bool look(int ep, unsigned depth, uintptr_t pc)
{
    bool any = false;
    for (const struct watch *w = all; w; w = w->next) {
        if (w->ep != ep)
            continue;
        any = true;
        const struct hd_chan *c = w->reads ? hd_rt_chan_source(w->fd) : NULL;
        if (c)
            hd_rt_chan_closed(c, pc);
        else if (w->reads && depth)
            look(w->fd, depth - 1, pc);
    }
    return any;
}

void hd_rt_watch_look(int ep, uintptr_t pc)
{
    if (!look(ep, 5, pc))
        hd_rt_chan_look_all(pc);
}

bool hd_rt_watch_arrivals(int ep, bool tell)
{
    struct pollfd fds[64];
    struct timespec zero = {0, 0};
    size_t n = 0;
    for (const struct watch *w = all; w && n < 64; w = w->next) {
        if (w->ep != ep || !w->reads)
            continue;
        struct hd_fd at = hd_rt_fd(w->fd);
        if (hd_rt_arrivals_from(&at))
            fds[n++] = (struct pollfd){w->fd, POLLIN, 0};
    }
    if (n && tell) {
        hd_rt_syscall(SYS_ppoll, (long)fds, (long)n, (long)&zero, 0, 8, 0);
        hd_rt_arrivals_polled(fds, n);
    }
    return n;
}
