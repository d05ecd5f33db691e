/* A Treiber stack whose nodes are not freed. REL, ACQ: orders of push and pop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define N 5
#ifndef REL
#define REL memory_order_release
#endif
#ifndef ACQ
#define ACQ memory_order_acquire
#endif
struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top;
static void push(int v)
{
    struct node *n = malloc(sizeof *n);
    n->value = v;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, REL, memory_order_relaxed))
        ;
}
static int pop(void)
{
    struct node *n = atomic_load_explicit(&top, ACQ);
    while (n && !atomic_compare_exchange_weak_explicit(&top, &n, n->next, ACQ, ACQ))
        ;
    return n ? n->value : -1; /* not freed: no ABA */
}
static void *producer(void *a)
{
    for (int i = 0; i < N; i++)
        push(i);
    return a;
}
static void *consumer(void *a)
{
    long s = 0;
    for (int i = 0; i < N; i++)
        s += pop();
    return (void *)s;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? consumer : producer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
