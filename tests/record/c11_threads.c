/* C11 threads.h. */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t cond;
static once_flag flag = ONCE_FLAG_INIT;
static int ready, made;

static void make(void)
{
    made++;
}

static int work(void *arg)
{
    call_once(&flag, make);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&cond, &lock);
    ready++;
    mtx_unlock(&lock);
    return *(int *)arg;
}

static int leave(void *arg)
{
    (void)arg;
    thrd_exit(9);
}

int main(void)
{
    thrd_t t[2];
    static int ret[2] = {5, 6};
    int r0, r1;
    struct timespec ts = {0, 1000000};
    mtx_init(&lock, mtx_timed | mtx_recursive);
    cnd_init(&cond);
    for (int i = 0; i < 2; i++)
        thrd_create(&t[i], work, &ret[i]);
    thrd_yield();
    printf("sleep %d\n", thrd_sleep(&ts, NULL));
    mtx_lock(&lock);
    printf("try %d\n", mtx_trylock(&lock) == thrd_success);
    mtx_unlock(&lock);
    ready = 1;
    cnd_broadcast(&cond);
    cnd_signal(&cond);
    mtx_unlock(&lock);
    thrd_join(t[0], &r0);
    thrd_join(t[1], &r1);
    printf("%d %d made %d ready %d\n", r0, r1, made, ready);
    mtx_lock(&lock);
    timespec_get(&ts, TIME_UTC);
    printf("timed %d\n", cnd_timedwait(&cond, &lock, &ts) == thrd_timedout);
    mtx_unlock(&lock);
    printf("timedlock %d\n", mtx_timedlock(&lock, &ts) == thrd_success);
    mtx_unlock(&lock);
    thrd_create(&t[0], leave, NULL);
    thrd_join(t[0], &r0);
    printf("exit %d\n", r0);
    thrd_create(&t[0], leave, NULL);
    printf("detach %d\n", thrd_detach(t[0]) == thrd_success);
    cnd_destroy(&cond);
    mtx_destroy(&lock);
    return 0;
}
