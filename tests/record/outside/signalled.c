/* Waits for its own handler, of which no thread of the program can know when it comes: in a read,
 * then in a wait for a semaphore. The handler has SA_RESTART, so that a sleep in the kernel goes on
 * after it. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 10

static sem_t came, end;
static int ends[2];

static void on_signal(int sig)
{
    (void)sig;
    sem_post(&came);
    if (write(ends[1], "x", 1) != 1)
        _exit(1);
}

static void *other(void *arg)
{
    sem_wait(&end);
    return arg;
}

int main(void)
{
    pthread_t t;
    char c;
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sem_init(&came, 0, 0);
    sem_init(&end, 0, 0);
    if (pipe(ends) || sigaction(SIGUSR1, &act, NULL) || pthread_create(&t, NULL, other, NULL))
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        printf("ready\n");
        fflush(stdout);
        if (i % 2)
            sem_wait(&came);
        if (read(ends[0], &c, 1) != 1)
            return 1;
        if (i % 2 == 0)
            sem_wait(&came);
    }
    sem_post(&end);
    pthread_join(t, NULL);
    printf("end\n");
    return 0;
}
