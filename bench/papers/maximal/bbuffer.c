/* A bounded buffer with a lock and two conditions; its statistics are kept without. 4 threads. */
#include <pthread.h>
enum { PLACES = 3, ITEMS = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], head, tail, used;
static int produced, consumed, highest, closed;
static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (used == PLACES)
        pthread_cond_wait(&not_full, &lock);
    buffer[tail] = item;
    tail = (tail + 1) % PLACES;
    used++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    produced++;
}
static int take(void)
{
    pthread_mutex_lock(&lock);
    while (used == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = buffer[head];
    head = (head + 1) % PLACES;
    used--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    consumed++;
    if (item > highest)
        highest = item;
    return item;
}
static void *producer(void *p)
{
    for (int i = 0; i < ITEMS; i++)
        put(i);
    closed = produced == 2 * ITEMS;
    return p;
}
static void *consumer(void *p)
{
    int sum = 0;
    for (int i = 0; i < 2 * ITEMS; i++)
        sum += take();
    return sum ? p : 0;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return highest < 0 || closed > 1;
}
