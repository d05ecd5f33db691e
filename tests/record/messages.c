/* Datagrams on a socket pair with sendmsg, recvmsg, sendto and recvfrom. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2], data;

static void *sender(void *arg)
{
    struct iovec v[2] = {{"one", 3}, {"two", 3}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    data = 1;
    sendmsg(pair[0], &m, 0);
    data = 2;
    sendto(pair[0], "xyz", 3, 0, NULL, 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    char a[4] = "", b[4] = "", c[8] = "";
    struct iovec v[2] = {{a, 3}, {b, 3}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
        return 1;
    pthread_create(&t, NULL, sender, NULL);
    ssize_t n = recvmsg(pair[1], &m, 0);
    printf("%zd %s %s\n", n, a, b);
    n = recvfrom(pair[1], c, sizeof c, 0, NULL, NULL);
    printf("%zd %s %d\n", n, c, data);
    pthread_join(t, NULL);
    return 0;
}
