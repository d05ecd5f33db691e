/* A connection of the program to itself: connect, accept, send, recv and shutdown order threads. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static struct sockaddr_in addr;
static int before, after;

static void *client(void *arg)
{
    char buf[8] = "";
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    before = 1;
    if (connect(fd, (struct sockaddr *)&addr, sizeof addr) || send(fd, "hello", 5, 0) != 5)
        return NULL;
    ssize_t n = recv(fd, buf, sizeof buf, 0);
    after += n == 3;
    shutdown(fd, SHUT_WR);
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t t;
    char buf[8];
    socklen_t len = sizeof addr;
    int ls = socket(AF_INET, SOCK_STREAM, 0);
    addr.sin_family = AF_INET;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(ls, (struct sockaddr *)&addr, sizeof addr) || listen(ls, 4) ||
        getsockname(ls, (struct sockaddr *)&addr, &len))
        return 1;
    pthread_create(&t, NULL, client, NULL);
    int fd = accept(ls, NULL, NULL);
    before++;
    ssize_t n = recv(fd, buf, 5, MSG_WAITALL);
    after = 10;
    struct iovec v[2] = {{"ab", 2}, {"c", 1}};
    printf("recv %zd send %zd\n", n, writev(fd, v, 2));
    printf("end %zd\n", read(fd, buf, sizeof buf));
    printf("after %d before %d\n", after, before);
    pthread_join(t, NULL);
    close(fd);
    close(ls);
    return 0;
}
