/* A worker that nobody joins adds to total; main reads it and ends. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(void)
{
#ifdef GOOD
    pthread_mutex_lock(&lock);
#endif
    total++;
#ifdef GOOD
    pthread_mutex_unlock(&lock);
#endif
}

static void *work(void *arg)
{
    add();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    usleep(20000);
    pthread_mutex_lock(&lock);
    puts("over");
    pthread_mutex_unlock(&lock);
    return 0;
}
