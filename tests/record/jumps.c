/* longjmp out of a locked region and out of nested frames; the lock stays held until it is freed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;
static volatile int depth;
static int value;

static void dive(int n)
{
    volatile int here = n;
    depth = here;
    if (n == 0) {
        pthread_mutex_lock(&lock);
        value = 5;
        longjmp(back, 3);
    }
    dive(n - 1);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int r = setjmp(back);
    if (r == 0)
        dive(4);
    pthread_create(&t, NULL, work, NULL);
    value *= 2;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("jump %d depth %d value %d\n", r, depth, value);
    return 0;
}
