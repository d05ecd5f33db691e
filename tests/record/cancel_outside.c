/* Cancellation of threads that wait in the kernel or for descriptors: their handlers run, they end,
 * and the routine of a once that was left in this way runs again. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, ends[2], pair[2];
static char data[100000];

static void handler(void *arg)
{
    (*(int *)arg)++;
}

static void routine(void)
{
    if (++runs == 1)
        pause();
}

static void in_once(void)
{
    pthread_once(&once, routine);
}

static void in_sigwait(void)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &sig);
}

static void in_ppoll(void)
{
    sigset_t none;
    struct pollfd p = {ends[0], POLLIN, 0};
    sigemptyset(&none);
    ppoll(&p, 1, NULL, &none);
}

static void in_recv(void)
{
    recv(pair[0], data, 10, MSG_WAITALL); /* nine bytes are there */
}

static void in_write(void)
{
    for (;;)
        write(ends[1], data, sizeof data);
}

static void in_read(void)
{
    read(ends[0], data, 1);
}

static void in_poll(void)
{
    struct pollfd p = {ends[0], POLLIN, 0};
    poll(&p, 1, -1);
}

static void in_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, NULL);
}

static void in_epoll(void)
{
    struct epoll_event e = {EPOLLIN, {0}};
    int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &e);
    epoll_wait(epoll, &e, 1, -1);
}

static FILE *stream;

static void in_fgets(void)
{
    char line[8];
    fgets(line, sizeof line, stream);
}

static int handled;

static void *wait_in(void *arg)
{
    pthread_cleanup_push(handler, &handled);
    ((void (*)(void))arg)();
    pthread_cleanup_pop(0);
    return arg;
}

static void end(void (*call)(void))
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, wait_in, (void *)call);
    usleep(20000);
    int status = pthread_cancel(t);
    pthread_join(t, &result);
    printf("cancel %d, cancelled %d, handlers %d\n", status, result == PTHREAD_CANCELED, handled);
}

int main(void)
{
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
        write(pair[1], "123456789", 9) != 9)
        return 1;
    end(in_once);
    pthread_once(&once, routine);
    printf("runs %d\n", runs);
    end(in_sigwait);
    end(in_ppoll);
    end(in_read);
    end(in_poll);
    end(in_select);
    end(in_epoll);
    stream = fdopen(ends[0], "r");
    end(in_fgets);
    flockfile(stream); /* the thread gave it back */
    funlockfile(stream);
    end(in_recv);
    end(in_write);
    return 0;
}
