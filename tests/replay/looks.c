/* One epoll_wait tells about two pipes, one of which nobody ever closes. What it told first is so
 * before the other one is closed: a schedule must not stop the thread between the two. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <unistd.h>

static int x;
static sem_t ready;
static int stays[2], closes[2];

static void *worker(void *arg)
{
    int ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(ep, EPOLL_CTL_ADD, stays[0], &e);
    epoll_ctl(ep, EPOLL_CTL_ADD, closes[0], &e);
    sem_post(&ready);
    if (epoll_wait(ep, &e, 1, -1) == 1)
        x++;
    return arg;
}

int main(void)
{
    pthread_t t;
    char c = 0;
    if (pipe(stays) || pipe(closes))
        return 1;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ready);
    close(closes[1]);
    x++;
    pthread_join(t, NULL);
    return write(stays[1], &c, 1) != 1;
}
