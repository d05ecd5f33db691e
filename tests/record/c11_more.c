/* threads.h: timed locks and waits, thread-specific storage, thrd_exit, sleep. */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t cond;
static tss_t key;
static int freed, flag;

static void drop(void *p)
{
    freed += *(int *)p;
}

static int work(void *arg)
{
    struct timespec ts;
    tss_set(key, arg);
    timespec_get(&ts, TIME_UTC);
    int r = mtx_timedlock(&lock, &ts);
    thrd_exit(r == thrd_timedout ? 5 : 6);
}

static int waker(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    flag = 1;
    cnd_broadcast(&cond);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t t;
    int r, value = 3;
    struct timespec ts = {0, 1000};
    mtx_init(&lock, mtx_timed | mtx_recursive);
    cnd_init(&cond);
    tss_create(&key, drop);
    mtx_lock(&lock);
    printf("again %d\n", mtx_trylock(&lock) == thrd_success);
    thrd_create(&t, work, &value);
    thrd_join(t, &r);
    printf("result %d freed %d\n", r, freed);
    mtx_unlock(&lock);
    thrd_create(&t, waker, NULL);
    while (!flag)
        cnd_wait(&cond, &lock);
    thrd_sleep(&ts, NULL);
    thrd_yield();
    timespec_get(&ts, TIME_UTC);
    printf("timed %d\n", cnd_timedwait(&cond, &lock, &ts) == thrd_timedout);
    mtx_unlock(&lock);
    thrd_join(t, NULL);
    return 0;
}
