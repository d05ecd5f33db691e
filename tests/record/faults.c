/* Handlers of faults that jump away, also out of accesses that a hook makes first. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static volatile int *volatile where = (volatile int *)8;

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

static void *adds(void *arg)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void two(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    volatile int *nowhere = where;
    char text[16];
    struct sigaction act = {.sa_flags = 0};
    act.sa_handler = on_fault;
    sigaction(SIGSEGV, &act, NULL);
    if (!sigsetjmp(back, 1))
        *nowhere = 1;
    two();
    if (!sigsetjmp(back, 1))
        count += *nowhere;
    two();
    if (!sigsetjmp(back, 1))
        memcpy(text, (const char *)nowhere, sizeof text);
    two();
    if (!sigsetjmp(back, 1))
        __atomic_fetch_add(nowhere, 1, __ATOMIC_SEQ_CST);
    two();
    printf("%d\n", count);
    return 0;
}
