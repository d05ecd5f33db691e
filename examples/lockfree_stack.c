/* A lock-free stack with a plain next pointer.
 *
 * `pop` reads the next pointer of the top node while another thread may have taken that node off
 * and be pushing it again, which writes the same pointer. (The stack has the ABA problem, too.) */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct node {
    struct node *next; /* plain */
    int value;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do
        n->next = old; /* races with the read in pop */
    while (!atomic_compare_exchange_strong(&top, &old, n));
}

static struct node *pop(void)
{
    struct node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
        ;
    return n;
}

static void *recycler(void *arg)
{
    struct node *n = pop();
    if (n)
        push(n);
    return arg;
}

static void *taker(void *arg)
{
    struct node *n = pop();
    *(int *)arg = n ? n->value : 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int value = 0;
    for (int i = 0; i < 2; i++) {
        nodes[i].value = i + 1;
        push(&nodes[i]);
    }
    pthread_create(&a, NULL, recycler, NULL);
    pthread_create(&b, NULL, taker, &value);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("value %d\n", value);
    return 0;
}
