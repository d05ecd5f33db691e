/* The program that opens the paper: a lock section writes y under a flag of z, and only a branch
 * decides whether the read of x depends on it. The race on x is hidden by the lock; it needs
 * control flow to be predicted. 2 threads. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;
static void *other(void *p)
{
    pthread_mutex_lock(&lock);
    int seen = y;
    pthread_mutex_unlock(&lock);
    int r = x;
    if (seen && r == 1)
        z = 1;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    x = 1;
    pthread_mutex_lock(&lock);
    y = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return z > 1;
}
