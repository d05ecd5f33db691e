/* A pipe orders what its two ends do: data needs no other protection. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int fds[2], pair[2], data;

static void *reader(void *arg)
{
    char c[4];
    (void)arg;
    ssize_t n = read(fds[0], c, 1);
    printf("read %zd data %d\n", n, data); /* RACE a */
    struct pollfd p = {pair[1], POLLIN, 0};
    printf("poll %d\n", poll(&p, 1, 0));
    printf("poll %d\n", poll(&p, 1, 5000));
    n = recv(pair[1], c, sizeof c, 0);
    printf("recv %zd data %d\n", n, data);
    return NULL;
}

int main(void)
{
    pthread_t t;
    if (pipe(fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    pthread_create(&t, NULL, reader, NULL);
    usleep(400000);
    data = 1;
    if (write(fds[1], "x", 1) != 1)
        return 1;
    usleep(400000);
    data = 2; /* RACE a: sleeping is no order */
    send(pair[0], "yz", 2, 0);
    pthread_join(t, NULL);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    struct timeval tv = {0, 1000};
    printf("select %d\n", select(fds[0] + 1, &set, NULL, NULL, &tv));
    return 0;
}
