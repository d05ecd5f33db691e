/* counter.c, corrected: the counter is atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int requests;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        atomic_fetch_add(&requests, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d requests\n", atomic_load(&requests));
    return 0;
}
