/* Blocks go from thread to thread through lists with more than one way in, under a lock. KIND 0:
 * links both ways and a count, as the items of memcached; 1: from the end of such a list, to its
 * front; 2: from a pool to a queue, and from there back by another thread. Race free; with -DFAULT
 * a block is used after it was given away. */
#include <pthread.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3, BLOCKS = 5 };

static struct block {
    struct block *next, *prev;
    int data[2];
} blocks[BLOCKS], *head, *tail, *pool;
static int count, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct block *take_first(void)
{
    struct block *b = head;
    if (KIND == 0 && !count)
        return 0;
    if (b) {
        head = b->next;
        if (head)
            head->prev = 0;
        else
            tail = 0;
        count--;
    }
    return b;
}

static struct block *take_last(void)
{
    struct block *b = tail;
    if (b) {
        tail = b->prev;
        if (tail)
            tail->next = 0;
        else
            head = 0;
    }
    return b;
}

static void put_first(struct block *b)
{
    b->prev = 0;
    b->next = head;
    if (head)
        head->prev = b;
    head = b;
    if (!tail)
        tail = b;
    count++;
}

static void put_last(struct block *b)
{
    b->next = 0;
    if (tail)
        tail->next = b;
    else
        head = b;
    tail = b;
}

static void use(struct block *b, int i)
{
    b->data[0] = i;
    b->data[1] = b->data[0] + 1;
}

#if KIND < 2
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        struct block *b = KIND ? take_last() : take_first();
        pthread_mutex_unlock(&lock);
        if (!b)
            continue;
        use(b, i);
        pthread_mutex_lock(&lock);
        put_first(b);
        pthread_mutex_unlock(&lock);
#ifdef FAULT
        if (i == 0)
            b->data[0]++;
#endif
    }
    return arg;
}
#else
static void produce(void)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        while (!pool)
            pthread_cond_wait(&changed, &lock);
        struct block *b = pool;
        pool = b->next;
        pthread_mutex_unlock(&lock);
        use(b, i);
        pthread_mutex_lock(&lock);
        put_last(b);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
#ifdef FAULT
        b->data[0]++;
#endif
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void consume(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!head && !done)
            pthread_cond_wait(&changed, &lock);
        struct block *b = take_first();
        pthread_mutex_unlock(&lock);
        if (!b)
            break;
        use(b, b->data[1]);
        pthread_mutex_lock(&lock);
        b->next = pool;
        pool = b;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void *work(void *arg)
{
    if (arg)
        consume();
    else
        produce();
    return arg;
}
#endif

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < BLOCKS; i++)
        if (KIND < 2) {
            put_first(&blocks[i]);
        } else {
            blocks[i].next = pool;
            pool = &blocks[i];
        }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
