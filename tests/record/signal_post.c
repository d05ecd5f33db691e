/* A handler wakes a thread that waits for a semaphore; another one runs in user code. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t stop;
static volatile sig_atomic_t got;

static void on_signal(int sig)
{
    got = sig == SIGUSR1;
    sem_post(&stop);
}

static void *sender(void *arg)
{
    usleep(20000);
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t t, self = pthread_self();
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sem_init(&stop, 0, 0);
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, sender, &self);
    while (sem_wait(&stop))
        continue;
    printf("got %d\n", (int)got);
    pthread_join(t, NULL);
    got = 0;
    raise(SIGUSR1);
    printf("got %d\n", (int)got);
    sigaction(SIGUSR1, NULL, &old);
    printf("mine %d\n", old.sa_handler == on_signal);
    printf("signal %d\n", signal(SIGUSR1, SIG_IGN) == on_signal);
    raise(SIGUSR1);
    return 0;
}
