/* A thread that spins on an atomic flag must not keep the other from setting it. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static int data;

static void *set(void *arg)
{
    (void)arg;
    data = 4;
    atomic_store(&ready, 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    while (!atomic_load(&ready))
        sched_yield();
    printf("data %d\n", data);
    pthread_join(t, NULL);
    return 0;
}
