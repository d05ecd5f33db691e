/* The notifier changes the state before it takes the lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int state;

static void *wait_for_it(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!state)
        pthread_cond_wait(&change, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_for_it, NULL);
#ifndef GOOD
    state = 1;
#endif
    pthread_mutex_lock(&lock);
#ifdef GOOD
    state = 1;
#endif
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%d\n", state);
    return 0;
}
