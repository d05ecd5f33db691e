/* flaky_test.c, corrected: `left` is counted under the lock too. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sold, left = 10;

static void *seller(void *arg)
{
    pthread_mutex_lock(&lock);
    sold++;
    left--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, seller, NULL);
    pthread_create(&b, NULL, seller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int good = sold + left == 10;
    printf("%s: %d sold, %d left\n", good ? "passed" : "FAILED", sold, left);
    return !good;
}
