/* The race on late comes only after a time that a thread asks for: ./clocks WAY.
 * In a replay the threads are told the same times, in whatever order they ask. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int flag, late, rounds;

static long now_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static struct timespec in_us(long us)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += us * 1000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void work_for(long us)
{
    long start = now_us(CLOCK_MONOTONIC);
    while (now_us(CLOCK_MONOTONIC) - start < us)
        continue;
}

static void set_flag(void)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
}

/* Short waits until the flag is set. */
static void *waits_short(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!flag) {
        struct timespec t = in_us(1000);
        pthread_cond_timedwait(&moved, &lock, &t);
    }
    pthread_mutex_unlock(&lock);
    late = 1;
    return arg;
}

/* One long wait that is over before its time, while the other sleeps for longer than that. */
static void *waits_long(void *arg)
{
    pthread_mutex_lock(&lock);
    struct timespec t = in_us(5000);
    int r = 0;
    while (!flag && r == 0)
        r = pthread_cond_timedwait(&moved, &lock, &t);
    if (flag)
        pthread_cond_signal(&moved);
    pthread_mutex_unlock(&lock);
    if (r == 0)
        late = 2;
    return arg;
}

static void *works(void *arg)
{
    work_for(2000);
    late++;
    return arg;
}

/* As often as fits into the time: how often that is hangs on the clock alone. */
static void *counts(void *arg)
{
    long start = now_us(CLOCK_REALTIME), mine = 0;
    for (; now_us(CLOCK_REALTIME) - start < 300; mine++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    late = (int)mine;
    return arg;
}

static void *sleeps(void *arg)
{
    struct timespec t = in_us(700);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    if (now_us(CLOCK_REALTIME) >= t.tv_sec * 1000000 + t.tv_nsec / 1000)
        late = 4;
    return arg;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    void *(*what)(void *) = !strcmp(way, "short")   ? waits_short
                            : !strcmp(way, "long")  ? waits_long
                            : !strcmp(way, "count") ? counts
                            : !strcmp(way, "sleep") ? sleeps
                                                    : works;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, what, NULL);
    work_for(what == waits_long ? 100 : 4000);
    set_flag();
    pthread_cond_signal(&moved);
    late = 3;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", late > 0);
    return 0;
}
