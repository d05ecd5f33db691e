/* A lock made by hand on futex. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int n;

static void take(void)
{
    int zero = 0;
    if (atomic_compare_exchange_strong(&word, &zero, 1))
        return;
    while (atomic_exchange(&word, 2))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void give(void)
{
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        take();
        n++;
        usleep(1);
        give();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    struct timespec ts = {0, 1000};
    printf("again %ld\n", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, NULL, NULL, 0));
    printf("late %ld\n", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &ts, NULL, 0));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("n %d\n", n);
    return 0;
}
