/* A place on a stack that another thread used, and that its owner looked at last: what the library
 * then writes there unseen comes after the join, and before the start of those who use it next. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

union place {
    atomic_int count;
    char bytes[4];
};

static void *work(void *arg)
{
    union place *p = arg;
    atomic_fetch_sub(&p->count, 1);
    return atomic_load(&p->count) == 1 ? arg : NULL;
}

static void *look(void *arg)
{
    union place *p = arg;
    return atomic_load(&p->count) == 1 ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    void *result;
    union place p;
    atomic_init(&p.count, 2);
    pthread_create(&t, NULL, work, &p);
    usleep(1000);
    while (atomic_load(&p.count) != 1)
        usleep(1000);
    pthread_join(t, &result);
    memfrob(p.bytes, sizeof p.bytes);
    printf("%d %x\n", result == &p, (unsigned)atomic_load(&p.count));
    memfrob(p.bytes, sizeof p.bytes);
    pthread_create(&t, NULL, look, &p);
    int seen = atomic_load(&p.count);
    pthread_join(t, &result);
    printf("%d %d\n", result == &p, seen);
    return 0;
}
