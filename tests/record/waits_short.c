/* Waits that end early or never begin: handlers and time limits, reads of nothing, a signal that
 * only its thread sees in a signalfd; FUTEX_WAKE_OP. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t sem, free_sem;
static uint32_t word, other;

static void handler(int sig)
{
    (void)sig;
}

static long futex(uint32_t *at, int op, uint32_t value, const void *time, uint32_t *second,
                  uint32_t third)
{
    long r = syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, time, second, third);
    return r < 0 ? -errno : r;
}

static void *in_sem(void *arg)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 100;
    return (void *)(sem_timedwait(&sem, &limit) < 0 ? (long)errno : 0L);
    (void)arg;
}

static void *in_sem_for_ever(void *arg)
{
    return (void *)(sem_wait(&free_sem) < 0 ? (long)errno : 0L);
    (void)arg;
}

static void *in_futex(void *arg)
{
    struct timespec limit = {100, 0};
    return (void *)futex(&word, FUTEX_WAIT, 0, arg ? &limit : NULL, NULL, 0);
}

static void *in_signalfd(void *arg)
{
    struct signalfd_siginfo info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    struct pollfd p = {signalfd(-1, &set, 0), POLLIN, 0};
    poll(&p, 1, -1);
    return (void *)(read(p.fd, &info, sizeof info) == sizeof info ? (long)info.ssi_signo : -1L);
    (void)arg;
}

static pthread_t start(void *(*f)(void *), void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, f, arg);
    usleep(30000);
    return t;
}

static void end(pthread_t t, const char *what)
{
    void *result;
    pthread_join(t, &result);
    printf("%s: %ld\n", what, (long)result);
}

static void send(void *(*f)(void *), void *arg, int sig, const char *what)
{
    pthread_t t = start(f, arg);
    pthread_kill(t, sig);
    usleep(30000);
    sem_post(&free_sem);
    end(t, what);
}

int main(void)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigset_t set;
    char c;
    int e = eventfd(0, 0), ends[2];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR1, &act, NULL);
    sem_init(&sem, 0, 0);
    sem_init(&free_sem, 0, 0);
    send(in_sem, NULL, SIGUSR1, "sem_timedwait");
    sem_wait(&free_sem);
    send(in_sem_for_ever, NULL, SIGUSR1, "sem_wait");
    send(in_futex, &word, SIGUSR1, "futex with a limit");
    send(in_signalfd, NULL, SIGUSR2, "signalfd");
    if (pipe(ends))
        return 1;
    printf("nothing: %zd %zd\n", read(ends[0], &c, 0), read(e, &c, 0));
    printf("too little: %d\n", read(e, &c, 1) < 0 && errno == EINVAL);
    pthread_t t = start(in_futex, NULL);
    printf("%ld\n", futex(&other, FUTEX_WAKE_OP, 1, (void *)9, &word,
                          FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 1)));
    printf("%ld\n", futex(&other, FUTEX_WAKE_OP, 1, (void *)9, &word,
                          FUTEX_OP(FUTEX_OP_ANDN, 4, FUTEX_OP_CMP_GT, 4)));
    end(t, "futex");
    printf("%u, %ld\n", word, futex((uint32_t *)((char *)&word + 1), FUTEX_WAKE, 1, NULL, NULL, 0));
    return 0;
}
