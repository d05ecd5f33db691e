/* A handler without SA_RESTART ends waits with EINTR; the sender is ordered before the handler. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t never;
static int data, seen;

static void on_signal(int sig)
{
    (void)sig;
    seen = data;
}

static void *sender(void *arg)
{
    usleep(20000);
    data = 7;
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t t, self = pthread_self();
    struct sigaction act = {.sa_handler = on_signal};
    sem_init(&never, 0, 0);
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, sender, &self);
    int r = sem_wait(&never);
    printf("sem %d %d seen %d\n", r, errno == EINTR, seen);
    pthread_join(t, NULL);
    struct timespec ts = {100, 0}, left = {0, 0};
    pthread_create(&t, NULL, sender, &self);
    r = nanosleep(&ts, &left);
    printf("sleep %d %d left %d\n", r, errno == EINTR, left.tv_sec > 50);
    pthread_join(t, NULL);
    return 0;
}
