/* A race behind the join of a thread whose last event is a branch. */
#include <pthread.h>

static int x, y;
static volatile int z;

static void *first(void *arg)
{
    if (x)
        z = 1;
    return arg;
}

static void *second(void *arg)
{
    y++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, second, NULL);
    y++;
    pthread_join(t, NULL);
    return 0;
}
