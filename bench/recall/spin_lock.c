/* A lock made of an atomic flag; without GOOD the second update comes after it is given back. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag held = ATOMIC_FLAG_INIT;
static int first, second;

static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (atomic_flag_test_and_set(&held))
            ;
        first++;
#ifdef GOOD
        second++;
#endif
        atomic_flag_clear(&held);
#ifndef GOOD
        second++;
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", first, second);
    return 0;
}
