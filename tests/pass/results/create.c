/* The creation of a thread depends on its arguments and on the way to it, not on what its creator
 * read before: t3 may start, and race with t1, whatever r is. */
#include <pthread.h>

int x;

static void *t1(void *arg)
{
    x = 1;
    return arg;
}

static void *t3(void *arg)
{
    x = 3;
    return arg;
}

int main(void)
{
    pthread_t a, c;
    volatile int r;
    pthread_create(&a, NULL, t1, NULL);
    r = x;
    pthread_create(&c, NULL, t3, NULL);
    pthread_join(a, NULL);
    pthread_join(c, NULL);
    return r < 0;
}
