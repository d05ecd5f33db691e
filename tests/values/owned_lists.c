/* Nodes are owned by who can reach them. KIND 0: a list is taken whole, walked, and given back
 * whole; 1: batches go between threads and a depot; 2: a tree of two levels is taken by its root;
 * 3: nodes are taken one by one, linked to a list, given to another thread as a whole, and put back
 * one by one. Race free; with -DFAULT a node is used after its list was given away. */
#include <pthread.h>

#ifndef N
#define N 10
#endif
enum { THREADS = 3, NODES = 6 };

static struct node {
    struct node *next, *down;
    int data;
} nodes[NODES], *shared, *ready, *depot;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void use(struct node *n, int i)
{
    n->data += i;
}

#if KIND == 0
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        struct node *all = shared;
        shared = 0;
        pthread_mutex_unlock(&lock);
        if (!all)
            continue;
        struct node *last = all;
        for (struct node *n = all; n; n = n->next) {
            use(n, i);
            last = n;
        }
        pthread_mutex_lock(&lock);
        last->next = shared;
        shared = all;
        pthread_mutex_unlock(&lock);
#ifdef FAULT
        if (i == 0)
            last->data++;
#endif
    }
    return arg;
}
#elif KIND == 1
/* own: a list of this thread; full lists go to the depot, linked by down. */
static void *work(void *arg)
{
    struct node *own = 0;
    for (int i = 0; i < N; i++) {
        if (!own) {
            pthread_mutex_lock(&lock);
            own = depot;
            if (own)
                depot = own->down;
            pthread_mutex_unlock(&lock);
            if (!own)
                continue;
        }
        struct node *a = own;
        own = a->next;
        use(a, i);
        struct node *b = own;
        if (b) {
            own = b->next;
            use(b, i);
            b->next = own;
            own = b;
        }
        a->next = own;
        own = a;
        if (i % 2) {
            pthread_mutex_lock(&lock);
            own->down = depot;
            depot = own;
            pthread_mutex_unlock(&lock);
#ifdef FAULT
            if (i == 1)
                own->data++;
#endif
            own = 0;
        }
    }
    return arg;
}
#elif KIND == 2
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        struct node *root = shared;
        if (root)
            shared = root->next;
        pthread_mutex_unlock(&lock);
        if (!root)
            continue;
        use(root, i);
        struct node *down = root->down;
        use(down, i);
        if (i % 3 == 0) {
            struct node *down2 = down->down; /* turned round */
            use(down2, i);
            root->down = down2;
            down2->down = down;
            down->down = 0;
        } else if (down->down) {
            use(down->down, i);
        }
        pthread_mutex_lock(&lock);
        root->next = shared;
        shared = root;
        pthread_mutex_unlock(&lock);
#ifdef FAULT
        if (i == 0)
            down->data++;
#endif
    }
    return arg;
}
#elif KIND == 3
/* From a pool under one lock, node by node, to a list that is given whole under another. */
static void *work(void *arg)
{
    for (int i = 0; i < N; i++) {
        struct node *list = 0;
        for (int k = 0; k < 3; k++) {
            pthread_mutex_lock(&lock);
            struct node *n = shared;
            if (n)
                shared = n->next;
            pthread_mutex_unlock(&lock);
            if (!n)
                break;
            use(n, i);
            n->next = list;
            list = n;
        }
        if (list) {
            pthread_mutex_lock(&other);
            list->down = ready;
            ready = list;
            pthread_mutex_unlock(&other);
#ifdef FAULT
            if (i == 0)
                list->data++;
#endif
        }
        pthread_mutex_lock(&other);
        list = ready;
        if (list)
            ready = list->down;
        pthread_mutex_unlock(&other);
        while (list) {
            struct node *n = list;
            list = n->next;
            use(n, 1);
            pthread_mutex_lock(&lock);
            n->next = shared;
            shared = n;
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}
#endif

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < NODES; i++) {
        if (KIND == 0 || KIND == 3) {
            nodes[i].next = shared;
            shared = &nodes[i];
        } else if (KIND == 1 && i % 2) {
            nodes[i].next = &nodes[i - 1];
            nodes[i].down = depot;
            depot = &nodes[i];
        } else if (KIND == 2 && i % 3 == 2) {
            nodes[i].down = &nodes[i - 1];
            nodes[i - 1].down = &nodes[i - 2];
            nodes[i].next = shared;
            shared = &nodes[i];
        }
    }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
#ifdef EMPTIED /* without a lock: no other thread is left */
    shared = depot = 0;
#endif
    return 0;
}
