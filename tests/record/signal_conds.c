/* Handlers that run while their thread waits: for a condition, with and without a time, for a lock
 * whose holder sleeps, at a barrier. The wait goes on afterwards. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static volatile sig_atomic_t hits;
static int ready;

static void on_usr1(int sig)
{
    (void)sig;
    hits++;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&cond, &lock);
    ready = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *waits_timed(void *arg)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec++;
    pthread_mutex_lock(&lock);
    int r;
    do {
        r = pthread_cond_timedwait(&cond, &lock, &at);
    } while (r == 0);
    pthread_mutex_unlock(&lock);
    printf("timed: %d\n", r == ETIMEDOUT);
    return arg;
}

static void *meets(void *arg)
{
    pthread_barrier_wait(&both);
    return arg;
}

static void *sleeps(void *arg)
{
    struct timespec span = {100, 0}, left = {0, 0};
    int r = thrd_sleep(&span, &left);
    printf("slept: %d, left: %d\n", r, left.tv_sec > 90);
    return arg;
}

static pthread_t start(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    usleep(20000);
    pthread_kill(t, SIGUSR1);
    usleep(20000);
    return t;
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_usr1};
    sigaction(SIGUSR1, &act, NULL);
    pthread_barrier_init(&both, NULL, 2);

    pthread_t t = start(waits);
    pthread_mutex_lock(&lock);
    usleep(20000);
    pthread_kill(t, SIGUSR1);
    usleep(20000);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);

    pthread_join(start(waits_timed), NULL);
    t = start(meets);
    pthread_barrier_wait(&both);
    pthread_join(t, NULL);
    pthread_join(start(sleeps), NULL);
    printf("handlers: %d\n", hits);
    return 0;
}
