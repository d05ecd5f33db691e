/* A race behind a branch that the recorded run does not take, after more steps than an execution of
 * a search may have. */
#include <pthread.h>

#define STEPS 150000

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared, flag, busy;

static void set(int value)
{
    shared = value;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int seen = flag;
    pthread_mutex_unlock(&m);
    if (seen)
        set(2);
    else
        set(5);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < STEPS; i++)
        busy = i;
    if (pthread_create(&t, NULL, reader, NULL))
        return 2;
    shared = 1;
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return busy < 0;
}
