/* Lists of nodes with a lock each, taken hand over hand, whose nodes come again (-DKIND): 0 from
 * and to a pool, 1 from one list to another, 2 with an entry of its own for each node. Race free;
 * with -DFAULT a node is used after it was put into the list. */
#include <pthread.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3, NODES = 6, KEYS = 4, LISTS = 2 };

struct node {
    pthread_mutex_t lock;
    struct node *next;
    int key;
#if KIND == 2
    int *entry;
#else
    int value;
#endif
};

static struct node head[LISTS] = {{.lock = PTHREAD_MUTEX_INITIALIZER},
                                  {.lock = PTHREAD_MUTEX_INITIALIZER}};
static struct node store[NODES];
static struct node *pool;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

#if KIND == 2
static int entries[NODES];
static int *value_of(struct node *n)
{
    return n->entry;
}
#else
static int *value_of(struct node *n)
{
    return &n->value;
}
#endif

static struct node *get(void)
{
    pthread_mutex_lock(&pool_lock);
    struct node *n = pool;
    if (n)
        pool = n->next;
    pthread_mutex_unlock(&pool_lock);
    return n;
}

static void put(struct node *n)
{
    pthread_mutex_lock(&pool_lock);
    n->next = pool;
    pool = n;
    pthread_mutex_unlock(&pool_lock);
}

/* The last node before the key, and the one after it, if any: the thread holds both locks. */
static struct node *find(struct node *list, int key, struct node **at)
{
    struct node *before = list, *n;
    pthread_mutex_lock(&before->lock);
    n = before->next;
    if (n)
        pthread_mutex_lock(&n->lock);
    while (n && n->key < key) {
        pthread_mutex_unlock(&before->lock);
        before = n;
        n = n->next;
        if (n)
            pthread_mutex_lock(&n->lock);
    }
    *at = n;
    return before;
}

static void release(struct node *before, struct node *at)
{
    if (at)
        pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
}

static void insert(struct node *list, struct node *own, int key)
{
    struct node *at, *before;
    own->key = key;
    *value_of(own) = 1;
    before = find(list, key, &at);
    if (at)
        *value_of(at) += 1;
    own->next = at;
    before->next = own;
    release(before, at);
#ifdef FAULT
    *value_of(own) += 1;
#endif
}

static struct node *take_out(struct node *list, int key)
{
    struct node *at, *before = find(list, key, &at);
    if (at)
        before->next = at->next;
    release(before, at);
    if (at)
        *value_of(at) = 0;
    return at;
}

static void *work(void *arg)
{
    unsigned drawn = 1 + (unsigned)(long)arg * 77;
    for (int i = 0; i < N; i++) {
        drawn = drawn * 1103515245u + 12345u;
        int key = (int)(drawn >> 16 & (KEYS - 1)), which = (int)(drawn >> 20 & 1);
#if KIND == 1
        struct node *n = take_out(&head[which], key);
        if (n)
            insert(&head[1 - which], n, key ^ 1);
#else
        struct node *n = which ? get() : take_out(&head[0], key);
        if (n && which)
            insert(&head[0], n, key);
        else if (n)
            put(n);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < NODES; i++) {
        pthread_mutex_init(&store[i].lock, 0);
#if KIND == 2
        store[i].entry = &entries[i];
#endif
#if KIND == 1
        insert(&head[i & 1], &store[i], i);
#else
        put(&store[i]);
#endif
    }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
#ifdef EMPTIED /* without a lock: no other thread is left */
    head[0].next = head[1].next = pool = 0;
#endif
    return 0;
}
