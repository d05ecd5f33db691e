/* Accounts under one lock, with transfers that are marked as one step. In the first version a
 * transfer takes the lock for each of its two halves, and each half reads and writes in sections of
 * its own. With -DPARTLY each half is one section: sums are not lost any more, but somebody who
 * adds both accounts up under the lock can see money missing. With -DFIXED the whole transfer is
 * one section. Both accounts are written at the same places, so one of them stands for both. */
// expect: race=- atomicity=from deadlock=-
// expect -DPARTLY: race=- atomicity=- deadlock=-
// expect -DPARTLY -DTWO: race=- atomicity=from deadlock=-
// expect -DFIXED: race=- atomicity=- deadlock=-
// expect -DFIXED -DTWO: race=- atomicity=- deadlock=-
#include "heddle/annotate.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int from = 100, to = 100;

static void add(int *account, int amount)
{
#if defined(FIXED)
    *account += amount;
#elif defined(PARTLY)
    pthread_mutex_lock(&lock);
    *account += amount;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    int balance = *account;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    *account = balance + amount;
    pthread_mutex_unlock(&lock);
#endif
}

static void *transfer(void *arg)
{
    heddle_atomic_begin();
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    add(&from, -10);
    add(&to, 10);
#ifdef TWO /* a fee, taken later */
    add(&from, -1);
#endif
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    heddle_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, transfer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", from + to);
    return 0;
}
