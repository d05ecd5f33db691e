/* epoll_wait tells about what it watches and about nothing else: a pipe that another thread fills
 * meanwhile is no event of it, and a listener that it watches is one. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "watched"};
static int other[2], told;

static void *client(void *arg)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (write(other[1], "ab", 2) != 2)
        return NULL;
    told = 7;
    if (connect(fd, (struct sockaddr *)&addr, sizeof addr))
        return NULL;
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct epoll_event e = {.events = EPOLLIN};
    int ls = socket(AF_UNIX, SOCK_STREAM, 0), ep = epoll_create1(0);
    unlink(addr.sun_path);
    if (pipe(other) || bind(ls, (struct sockaddr *)&addr, sizeof addr) || listen(ls, 4))
        return 1;
    epoll_ctl(ep, EPOLL_CTL_ADD, other[0], &e);
    epoll_ctl(ep, EPOLL_CTL_ADD, ls, &e);
    epoll_ctl(ep, EPOLL_CTL_DEL, other[0], NULL);
    pthread_create(&t, NULL, client, NULL);
    int n = epoll_wait(ep, &e, 1, -1), fd = accept(ls, NULL, NULL);
    printf("%d told %d\n", n, told);
    pthread_join(t, NULL);
    close(fd);
    close(ls);
    close(ep);
    unlink(addr.sun_path);
    return 0;
}
