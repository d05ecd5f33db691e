#include <pthread.h>
#include <stdio.h>

#ifndef __HEDDLE__
#error "not compiled by heddle cc"
#endif

int bump(int by);

static void *work(void *arg)
{
    (void)arg;
    bump(2);
    return NULL;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, work, NULL) != 0 || pthread_join(t, NULL) != 0)
        return 1;
    printf("counter %d\n", bump(1));
    return 0;
}
