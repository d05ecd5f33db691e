/* Thread-local variables are different locations in each thread; a pointer to one can be shared. */
#include <pthread.h>
#include <stdio.h>

static __thread int mine = 1;
static int *theirs;
static pthread_barrier_t barrier;

static void *work(void *arg)
{
    mine = 5;
    theirs = &mine;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return mine == 6 ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    void *r;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, &barrier);
    mine = 3;
    pthread_barrier_wait(&barrier);
    *theirs += 1;
    pthread_barrier_wait(&barrier);
    pthread_join(t, &r);
    printf("mine %d theirs %d\n", mine, r == &barrier);
    return 0;
}
