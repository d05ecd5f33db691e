/* A signal for a thread that was made just now, and one that breaks off a wait with a time limit: a
 * schedule may send it before the thread comes to its wait. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t hits;
static int epoll, turns;
int level;

static void on_usr1(int sig)
{
    (void)sig;
    hits++;
}

static void *waits(void *arg)
{
    struct epoll_event event;
    int r = epoll_wait(epoll, &event, 1, 20000);
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    level = r; /* RACE a */
    return arg;
}

static void *starts(void *arg)
{
    while (!hits)
        sched_yield();
    return arg;
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_usr1};
    struct epoll_event event;
    pthread_t t;
    event.events = EPOLLIN;
    event.data.u64 = 0;
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, starts, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);

    epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, eventfd(0, 0), &event);
    pthread_create(&t, NULL, waits, NULL);
    usleep(20000);
    pthread_kill(t, SIGUSR1);
    pthread_mutex_lock(&lock);
    level = 5; /* RACE a */
    turns++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("handlers: %d, turns: %d\n", hits, turns);
    return 0;
}
