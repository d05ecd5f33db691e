/* Blocks go from thread to thread under a lock; only the thread that took one uses it. KIND 0: from
 * the front of a list and back there; 1: from a queue, to its end; 2: marks say which are busy.
 * Race free; with -DFAULT the first one is used after it was given back. */
#include <pthread.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3, BLOCKS = 4 };

static struct block {
    struct block *next;
    int data[2], busy;
} blocks[BLOCKS], *head, *tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *take(void)
{
    struct block *b = 0;
    pthread_mutex_lock(&lock);
    if (KIND < 2 && head) {
        b = head;
        head = b->next;
        if (!head)
            tail = 0;
    }
    for (int i = 0; KIND == 2 && i < BLOCKS && !b; i++)
        if (!blocks[i].busy) {
            b = &blocks[i];
            b->busy = 1;
        }
    pthread_mutex_unlock(&lock);
    return b;
}

static void give(struct block *b)
{
    pthread_mutex_lock(&lock);
    if (KIND == 0) {
        b->next = head;
        head = b;
    } else if (KIND == 1) {
        b->next = 0;
        if (tail)
            tail->next = b;
        else
            head = b;
        tail = b;
    } else {
        b->busy = 0;
    }
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        struct block *b = take();
        if (!b)
            continue;
        b->data[0] = i;
        b->data[1] = b->data[0] + 1;
        give(b);
#ifdef FAULT
        if (i == 0)
            b->data[0]++;
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < BLOCKS; i++)
        give(&blocks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
