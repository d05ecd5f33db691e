/* Names of threads: what pthread_setname_np gave, else the first function. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *worker(void *arg)
{
    char name[32] = "";
    pthread_setname_np(pthread_self(), "the-worker");
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("name %s\n", name);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("long %d\n", pthread_setname_np(pthread_self(), "a name that is much too long") != 0);
    return 0;
}
