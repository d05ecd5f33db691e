/* A schedule in which a thread goes on before somebody wakes it: futex waits may return early. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int level;

static void *waits(void *arg)
{
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    level = 1; /* RACE a */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    usleep(20000);
    atomic_store(&word, 1);
    pthread_mutex_lock(&lock);
    level = 2; /* RACE a */
    pthread_mutex_unlock(&lock);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(t, NULL);
    printf("%d\n", level > 0);
    return 0;
}
