/* sigwait in a thread of its own; raise and kill to oneself. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int data, handled;

static void on_usr2(int sig)
{
    handled += sig == SIGUSR2;
}

static void *waiter(void *arg)
{
    sigset_t set;
    int sig = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &sig);
    data++;
    return sig == SIGUSR1 ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    void *r;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waiter, &data);
    data = 1;
    kill(getpid(), SIGUSR1);
    pthread_join(t, &r);
    signal(SIGUSR2, on_usr2);
    raise(SIGUSR2);
    kill(getpid(), SIGUSR2);
    printf("data %d got %d handled %d\n", data, r == &data, handled);
    return 0;
}
