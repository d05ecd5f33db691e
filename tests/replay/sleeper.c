/* A thread sleeps while main ends the process, and another one waits for a signal, as in
 * squashfs-tools. */
#include <pthread.h>
#include <signal.h>
#include <time.h>

static int enabled = 1, shown;

static void *progress(void *arg)
{
    const struct timespec span = {0, 250000000};
    for (;;) {
        nanosleep(&span, NULL);
        if (enabled)
            shown++;
    }
    return arg;
}

static void *info(void *arg)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    sigwait(&set, &sig);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t[0], NULL, progress, NULL);
    pthread_create(&t[1], NULL, info, NULL);
    enabled = 0;
    return 0;
}
