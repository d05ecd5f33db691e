/* poll, ppoll, select and pselect on pipes: ready, timed out, and woken by a thread. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

static int fds[2], data;

static void *writer(void *arg)
{
    data = 1;
    if (write(fds[1], "x", 1) != 1)
        return NULL;
    return arg;
}

int main(void)
{
    pthread_t t;
    sigset_t none;
    struct timespec soon = {0, 1000}, later = {5, 0};
    struct timeval tv = {0, 1000};
    char c;
    fd_set set;
    if (pipe(fds))
        return 1;
    struct pollfd p = {fds[0], POLLIN, 0};
    printf("poll %d ppoll %d\n", poll(&p, 1, 1), ppoll(&p, 1, &soon, NULL));
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    printf("select %d\n", select(fds[0] + 1, &set, NULL, NULL, &tv));
    pthread_create(&t, NULL, writer, NULL);
    int r = poll(&p, 1, -1);
    printf("poll %d %d\n", r, p.revents == POLLIN);
    data = 2; /* after the write: no race */
    sigemptyset(&none);
    FD_SET(fds[0], &set);
    printf("pselect %d\n", pselect(fds[0] + 1, &set, NULL, NULL, &later, &none));
    printf("ppoll %d\n", ppoll(&p, 1, &later, &none));
    ssize_t n = read(fds[0], &c, 1);
    printf("read %zd data %d\n", n, data);
    pthread_join(t, NULL);
    return 0;
}
