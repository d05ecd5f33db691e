/* A failed exchange is a read: what it guards cannot race. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn;
static int mine;

static void *work(void *arg)
{
    int want = 0;
    if (atomic_compare_exchange_strong(&turn, &want, 1))
        mine++;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("mine %d\n", mine);
    return 0;
}
