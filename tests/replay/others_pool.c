/* Blocks of a pool that is not instrumented (others_hidden.c): two threads at the same time get
 * different ones, one after the other the same. With -DLOCKED a lock keeps the uses of the pool
 * apart; without it the pool is used without any order. */
#include <pthread.h>
#include <stddef.h>
int *hidden_take(void);
void hidden_give(int *block);
#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define GUARD(do_it) (pthread_mutex_lock(&lock), (do_it), pthread_mutex_unlock(&lock))
#else
#define GUARD(do_it) (do_it)
#endif
static void *work(void *arg)
{
    int *block;
    GUARD(block = hidden_take());
    *block = 1;
    GUARD(hidden_give(block));
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
