/* Look under a lock, decide outside it, act under the lock again. What was seen goes through a
 * library function, so that no dependence is named: the function tells that the two belong
 * together. With -DWHOLE the lock is kept. With -DAPART the two steps stand in two functions that
 * have nothing to do with each other, with -DLOOP there is one section, in a loop. */
// expect: race=- atomicity=stock deadlock=-
// expect -DWHOLE: race=- atomicity=- deadlock=-
// expect -DAPART: race=- atomicity=- deadlock=-
// expect -DLOOP: race=- atomicity=- deadlock=-
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 5;

#if defined(APART)
__attribute__((noinline)) static int look(void)
{
    pthread_mutex_lock(&lock);
    int left = stock;
    pthread_mutex_unlock(&lock);
    return left;
}

__attribute__((noinline)) static void restock(void)
{
    pthread_mutex_lock(&lock);
    stock = 7;
    pthread_mutex_unlock(&lock);
}

static void *buy(void *arg)
{
    char text[16];
    snprintf(text, sizeof text, "%d", look());
    restock();
    return arg;
}
#elif defined(LOOP)
static void *buy(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        stock = stock - 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
#else
static void *buy(void *arg)
{
    char text[16];
    pthread_mutex_lock(&lock);
    int left = stock;
#ifndef WHOLE
    pthread_mutex_unlock(&lock);
#endif
    snprintf(text, sizeof text, "%d", left);
    int wanted = atoi(text);
#ifndef WHOLE
    pthread_mutex_lock(&lock);
#endif
    stock = wanted - 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
#endif

static void *sell_out(void *arg)
{
    pthread_mutex_lock(&lock);
    stock = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, buy, NULL);
    pthread_create(&threads[1], NULL, sell_out, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", stock);
    return 0;
}
