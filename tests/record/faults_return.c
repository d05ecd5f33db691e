/* Reads of memory that is not there yet: the handler makes it so, touches memory of its own, and
 * returns. Then the read goes on. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE  4096
#define PAGES 12

static int faults, marks[64];
char copied[3 * PAGE];
static volatile size_t length = sizeof copied;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    marks[faults & 63] = faults;
    faults++;
}

static void *nothing(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    char *m = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    for (int i = 0; i < (PAGES - 3) * PAGE; i += PAGE / 4)
        sum += *(long *)(m + i);
    memcpy(copied, m + (PAGES - 3) * PAGE, length);
    printf("%d faults, sum %ld\n", faults, sum);
    return 0;
}
