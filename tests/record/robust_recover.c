/* A robust mutex: the next owner learns that the last one died, and repairs. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int state;

static void *dies(void *arg)
{
    pthread_mutex_lock(&lock);
    state = 1;
    return arg;
}

static void *repairs(void *arg)
{
    int r = pthread_mutex_lock(&lock);
    if (r == EOWNERDEAD) {
        state = 2;
        pthread_mutex_consistent(&lock);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attr);
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, repairs, NULL);
    pthread_join(t, NULL);
    printf("state %d\n", state);
    return pthread_mutex_lock(&lock);
}
