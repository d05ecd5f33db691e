/* Whether a compare and exchange stores depends on what it expects. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int x, y = 1;
int quiet;

static void *other(void *arg)
{
    quiet = 7;
    atomic_store(&x, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 50; i++)
        sched_yield();
    int expected = atomic_load(&x);
    if (atomic_compare_exchange_strong(&y, &expected, 2))
        quiet = 8;
    pthread_join(t, NULL);
    return 0;
}
