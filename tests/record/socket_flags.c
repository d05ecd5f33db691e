/* Flags and limits of calls on sockets: MSG_DONTWAIT, MSG_PEEK, MSG_WAITALL, MSG_TRUNC,
 * SO_RCVTIMEO. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2], note;

static void *halves(void *arg)
{
    write(pair[1], "ab", 2);
    usleep(20000);
    note = 7;
    write(pair[1], "cdef", 4);
    return arg;
}

static void show(const char *what, ssize_t n)
{
    printf("%s: %zd %s\n", what, n, n < 0 ? strerrorname_np(errno) : "");
}

int main(void)
{
    char text[8] = "";
    pthread_t t;
    struct iovec part = {text, sizeof text};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pthread_create(&t, NULL, halves, NULL);
    show("all", recv(pair[0], text, 6, MSG_WAITALL));
    printf("%s %d\n", text, note); /* what was sent last orders it */
    pthread_join(t, NULL);

    show("nothing", recv(pair[0], text, 6, MSG_DONTWAIT));
    show("nothing", recvmsg(pair[0], &message, MSG_DONTWAIT));
    show("nothing", recvfrom(pair[0], text, 6, MSG_DONTWAIT, NULL, NULL));
    pthread_create(&t, NULL, halves, NULL);
    show("peek", recv(pair[0], text, 2, MSG_PEEK));
    show("peek", recv(pair[0], text, 2, MSG_PEEK));
    show("read", recv(pair[0], text, 2, 0));
    show("read", recv(pair[0], text, 4, 0));
    pthread_join(t, NULL);
    close(pair[0]);
    close(pair[1]);

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    show("send", send(pair[1], "message", 7, MSG_DONTWAIT));
    show("cut", recv(pair[0], text, 3, MSG_TRUNC));
    struct timeval limit = {0, 20000};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    show("limit", recv(pair[0], text, 3, 0));
    show("limit", read(pair[0], text, 3));
    return 0;
}
