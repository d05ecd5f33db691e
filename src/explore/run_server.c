#include "explore/run_server.h"

#include "base/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool hd_server_open(struct hd_server *s)
{
    int pair[2];
    *s = (struct hd_server){.ours = -1, .theirs = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    s->ours = pair[0];
    s->theirs = pair[1];
    return true;
}

/* One number; false: none came in time, or the other side is gone. */
static bool get(const struct hd_server *s, int timeout, int *value)
{
    struct pollfd p = {s->ours, POLLIN, 0};
    int r = poll(&p, 1, timeout);
    return r == 1 && p.revents & POLLIN &&
           recv(s->ours, value, sizeof *value, MSG_WAITALL) == (ssize_t)sizeof *value;
}

pid_t hd_server_run(struct hd_server *s, int timeout)
{
    int pid = 0;
    char go = 1;
    if (s->theirs >= 0)
        close(
            s->theirs); /* the server has its own by now: its end shows as the end of the stream */
    s->theirs = -1;
    if (send(s->ours, &go, 1, MSG_NOSIGNAL) != 1 || !get(s, timeout, &pid))
        return 0;
    return pid > 0 ? pid : 0;
}

bool hd_server_ended(struct hd_server *s, int timeout, int *status)
{
    return get(s, timeout, status);
}

void hd_server_close(struct hd_server *s)
{
    if (s->pid) {
        kill(-s->pid, SIGKILL);
        kill(s->pid, SIGKILL);
        hd_process_wait(s->pid);
    }
    if (s->ours >= 0)
        close(s->ours);
    if (s->theirs >= 0)
        close(s->theirs);
    *s = (struct hd_server){.ours = -1, .theirs = -1};
}
