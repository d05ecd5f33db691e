/* A server that others connect to, in six shapes: server threads|epoll|select unix|inet [safe],
 * server messages|sigwait|signalfd inet [safe]. It prints where it listens, echoes what comes, and
 * ends at SIGTERM. `served` is not protected, unless asked for. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int safe, served, queue[64], in, out, done, datagrams;

static void on_term(int sig)
{
    (void)sig;
    stop = 1;
}

static void count(void)
{
    if (safe)
        pthread_mutex_lock(&lock);
    served++; /* race */
    if (safe)
        pthread_mutex_unlock(&lock);
}

/* False: the connection is over. */
static int serve(int fd)
{
    char text[64];
    ssize_t n = recv(fd, text, sizeof text, 0);
    if (n <= 0)
        return 0;
    count();
    return send(fd, text, (size_t)n, MSG_NOSIGNAL) == n;
}

static void *connection(void *arg)
{
    int fd = (int)(long)arg;
    while (serve(fd))
        continue;
    close(fd);
    return NULL;
}

/* epoll: one thread looks, two others work. */
static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (in == out && !done)
            pthread_cond_wait(&more, &lock);
        int fd = in == out ? -1 : queue[out++ % 64];
        pthread_mutex_unlock(&lock);
        if (fd < 0)
            return arg;
        if (!serve(fd))
            close(fd);
    }
}

static void hand_over(int fd)
{
    pthread_mutex_lock(&lock);
    queue[in++ % 64] = fd;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

/* Two threads take messages from one datagram socket, the first of them one only. */
static void *take_messages(void *arg)
{
    char text[64];
    struct sockaddr_in from;
    do {
        socklen_t n = sizeof from;
        ssize_t got = recvfrom(datagrams, text, sizeof text, 0, (void *)&from, &n);
        if (got > 0) {
            count();
            sendto(datagrams, text, (size_t)got, 0, (void *)&from, n);
        }
    } while (arg);
    return NULL;
}

/* Looks for more than one thing at a time, as servers do. */
static void read_signal(const sigset_t *set)
{
    struct signalfd_siginfo info;
    int fd = signalfd(-1, set, 0), ep = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
    do
        epoll_wait(ep, &event, 1, -1);
    while (read(fd, &info, sizeof info) != sizeof info || info.ssi_signo != SIGTERM);
}

static void loop_messages(int fd, const char *how)
{
    pthread_t t[2];
    sigset_t set, none;
    int sig;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    datagrams = fd;
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* for the threads, too */
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, take_messages, (void *)(long)i);
    if (!strcmp(how, "signalfd"))
        read_signal(&set);
    else if (!strcmp(how, "sigwait"))
        sigwait(&set, &sig);
    else
        while (!stop)
            sigsuspend(&none);
}

static void take_connection(int listener)
{
    pthread_t t;
    int fd = accept(listener, NULL, NULL);
    if (fd >= 0 && !pthread_create(&t, NULL, connection, (void *)(long)fd))
        pthread_detach(t);
}

static void loop_threads(int listener)
{
    while (!stop)
        take_connection(listener);
}

static void loop_select(int listener)
{
    while (!stop) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(listener, &set);
        if (select(listener + 1, &set, NULL, NULL, NULL) == 1)
            take_connection(listener);
    }
}

static void loop_epoll(int listener)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, got[8];
    int ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
    while (!stop) {
        int n = epoll_wait(ep, got, 8, -1);
        for (int i = 0; i < n; i++) {
            e = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.fd = got[i].data.fd};
            if (got[i].data.fd != listener) {
                hand_over(got[i].data.fd);
                continue;
            }
            e.data.fd = accept4(listener, NULL, NULL, 0);
            epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e);
        }
    }
}

static int listen_at(int unix_socket, int type)
{
    struct sockaddr_un u = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(unix_socket ? AF_UNIX : AF_INET, type, 0);
    unlink(u.sun_path);
    if (unix_socket ? bind(fd, (void *)&u, sizeof u) : bind(fd, (void *)&a, sizeof a))
        exit(3);
    listen(fd, 9);
    getsockname(fd, (void *)&a, &n);
    fprintf(stderr, "ready %d %d\n", getpid(), unix_socket ? 0 : ntohs(a.sin_port));
    return fd;
}

int main(int argc, char **argv)
{
    struct sigaction act = {.sa_handler = on_term};
    pthread_t t[2];
    if (argc < 3)
        return 2;
    safe = argc > 3;
    sigaction(SIGTERM, &act, NULL);
    int messages = strstr("messages sigwait signalfd", argv[1]) != NULL;
    int fd = listen_at(!strcmp(argv[2], "unix"), messages ? SOCK_DGRAM : SOCK_STREAM);
    if (messages) {
        loop_messages(fd, argv[1]);
        return 0;
    }
    if (strcmp(argv[1], "epoll") != 0) {
        if (!strcmp(argv[1], "threads"))
            loop_threads(fd);
        else
            loop_select(fd);
        return 0;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    loop_epoll(fd);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
