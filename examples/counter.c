/* A statistics counter.
 *
 * Every worker counts its requests in one plain int; updates get lost. */
#include <pthread.h>
#include <stdio.h>

static int requests;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        requests++; /* a read and a write, and another thread in between */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d requests\n", requests);
    return 0;
}
