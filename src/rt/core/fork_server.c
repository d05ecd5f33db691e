/* A process that makes many runs of the program: started up to the point where the program's own
 * code would begin, it forks once for each run. Runs in the user's process; see the rules in rt.h.
 *
 * The descriptor in HD_SERVE_ENV is one end of a pair of sockets. For each byte that comes, one
 * child goes on as the program; its process id is sent back, and its status when it has ended. */
#include "rt/core/fork_server.h"
#include "log/rt_steer.h"
#include "rt/core/real.h"
#include "rt/core/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool read_byte(int fd)
{
    char c;
    long n;
    do
        n = hd_rt_syscall(SYS_read, fd, (long)&c, 1, 0, 0, 0);
    while (n == -EINTR);
    return n == 1;
}

static void answer(int fd, int value)
{
    hd_rt_syscall(SYS_write, fd, (long)&value, sizeof value, 0, 0, 0);
}

/* Returns in each child. */
static void serve(int fd)
{
    while (read_byte(fd)) {
        int pid = hd_real.fork(), status = 0;
        if (pid == 0) {
            hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
            hd_rt_syscall(SYS_setpgid, 0, 0, 0, 0, 0, 0);
            hd_rt_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
            return;
        }
        answer(fd, pid);
        while (pid > 0 && hd_rt_syscall(SYS_wait4, pid, (long)&status, 0, 0, 0, 0) == -EINTR)
            continue;
        answer(fd, status);
    }
    hd_rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

void hd_rt_serve(void)
{
    const char *text = hd_rt_getenv(HD_SERVE_ENV);
    if (!text || !*text)
        return;
    int fd = atoi(text);
    unsetenv(HD_SERVE_ENV); /* what the program starts is no server */
    serve(fd);
}
