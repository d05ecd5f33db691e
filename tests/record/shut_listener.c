/* shutdown wakes threads that wait for the same descriptor to become readable: in select and accept
 * for a listener, in recv for one end of a pair. What was written before comes first in every
 * schedule, so that what they read behind is no race. A pipe whose writer closes it does the same
 * for select. */
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "shut"};
static int listener, pair[2], ends[2];
static int stop_select, stop_accept, stop_recv, stop_pipe;
static int got[4];

static int select_on(int fd)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return select(fd + 1, &set, NULL, NULL, NULL);
}

static void *selects(void *arg)
{
    got[0] = 10 * select_on(listener);
    got[0] += stop_select;
    return arg;
}

static void *accepts(void *arg)
{
    got[1] = 10 * accept(listener, NULL, NULL);
    got[1] += stop_accept;
    return arg;
}

static void *receives(void *arg)
{
    char c;
    got[2] = 10 * (int)recv(pair[0], &c, 1, 0);
    got[2] += stop_recv;
    return arg;
}

static void *reads(void *arg)
{
    got[3] = 10 * select_on(ends[0]);
    got[3] += stop_pipe;
    return arg;
}

int main(void)
{
    pthread_t t[4];
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(addr.sun_path);
    if (bind(listener, (struct sockaddr *)&addr, sizeof addr) || listen(listener, 4) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(ends))
        return 1;
    pthread_create(&t[0], NULL, selects, NULL);
    pthread_create(&t[1], NULL, accepts, NULL);
    pthread_create(&t[2], NULL, receives, NULL);
    pthread_create(&t[3], NULL, reads, NULL);
    stop_select = stop_accept = 1;
    shutdown(listener, SHUT_RDWR);
    stop_recv = 1;
    shutdown(pair[0], SHUT_RD);
    stop_pipe = 1;
    close(ends[1]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
    unlink(addr.sun_path);
    return 0;
}
