/* epoll_wait and epoll_pwait on an event descriptor and a pipe. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake, data;

static void *writer(void *arg)
{
    data = 3;
    eventfd_write(wake, 2);
    return arg;
}

int main(void)
{
    pthread_t t;
    sigset_t none;
    struct epoll_event ev = {.events = EPOLLIN}, got[4];
    eventfd_t value = 0;
    wake = eventfd(0, 0);
    int ep = epoll_create1(0);
    ev.data.fd = wake;
    epoll_ctl(ep, EPOLL_CTL_ADD, wake, &ev);
    sigemptyset(&none);
    printf("none %d %d\n", epoll_wait(ep, got, 4, 1), epoll_pwait(ep, got, 4, 0, &none));
    pthread_create(&t, NULL, writer, NULL);
    printf("one %d\n", epoll_wait(ep, got, 4, -1));
    printf("mine %d data %d\n", got[0].data.fd == wake, data);
    eventfd_read(wake, &value);
    data = 4;
    printf("value %d\n", (int)value);
    pthread_join(t, NULL);
    close(ep);
    close(wake);
    return 0;
}
