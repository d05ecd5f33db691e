/* futex through syscall(): wait, wake, time-out, requeue. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned word, other, woken;

static long futex(unsigned *p, int op, unsigned v, const struct timespec *ts, unsigned *q,
                  unsigned w)
{
    return syscall(SYS_futex, p, op, v, ts, q, w);
}

static void *waits(void *arg)
{
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
        futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    struct timespec ts = {0, 1000000};
    long r = futex(&word, FUTEX_WAIT_PRIVATE, 0, &ts, NULL, 0);
    printf("timeout %d\n", r == -1 && errno == ETIMEDOUT);
    r = futex(&word, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0);
    printf("other %d\n", r == -1 && errno == EAGAIN);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waits, NULL);
    usleep(1000);
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)1L, &other, 1);
    futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("woken %u\n", woken);
    return 0;
}
