/* A buffer of SLOTS places with a producer and a consumer, by a mutex and two conditions. FAULT:
 * the consumer takes the value out after it has given the lock back. */
#include <pthread.h>

#ifndef ITEMS
#define ITEMS 20
#endif
enum { SLOTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int buffer[SLOTS], count, in, out, sum;

static void put(int v)
{
    pthread_mutex_lock(&lock);
    while (count == SLOTS)
        pthread_cond_wait(&emptied, &lock);
    buffer[in] = v;
    in = (in + 1) % SLOTS;
    count++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&filled, &lock);
    int at = out, v = buffer[at];
    out = (out + 1) % SLOTS;
    count--;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
#ifdef FAULT
    v = buffer[at];
#endif
    return v;
}

static void *produce(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        int v = get();
        pthread_mutex_lock(&lock);
        sum += v;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, produce, 0);
    pthread_create(&c, 0, consume, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
