/* A read that finds nothing is told so; the end of a pipe is seen after the close. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int fds[2], data;

static void *closer(void *arg)
{
    data = 1;
    close(fds[1]);
    return arg;
}

int main(void)
{
    pthread_t t;
    char c[4];
    if (pipe2(fds, O_NONBLOCK))
        return 1;
    ssize_t n = read(fds[0], c, 1);
    printf("empty %d\n", n == -1 && errno == EAGAIN);
    fcntl(fds[0], F_SETFL, 0);
    pthread_create(&t, NULL, closer, NULL);
    n = read(fds[0], c, sizeof c);
    if (n == 0)
        data = 2;
    printf("end %zd data %d\n", n, data);
    pthread_join(t, NULL);
    return 0;
}
