/* A copy of several megabytes is several records, and each depends on what was read. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#define N (3u << 20)
char from[N], to[N];
int quiet;
volatile size_t length = N;

static void *other(void *arg)
{
    quiet = 7;
    __atomic_store_n(&from[N - 1], 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 50; i++)
        sched_yield();
    memcpy(to, from, length);
    if (to[N - 1])
        quiet = 8;
    pthread_join(t, NULL);
    return 0;
}
