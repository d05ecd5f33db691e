/* A flag that is volatile and nothing else: a race, unless volatile is meant to be atomic. */
#include <pthread.h>

volatile int flag;
int data;

static void *worker(void *arg)
{
    data = 1;
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int seen = flag ? data : 1;
    pthread_join(t, NULL);
    return seen != 1;
}
