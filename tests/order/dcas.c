/* A stack whose top is a pointer and a counter against ABA, 16 bytes that change together.
 * FORM: how it is accessed; REL, ACQ: orders; LATE: a node is written after it was pushed. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef REL
#define REL memory_order_acq_rel
#define ACQ memory_order_acquire
#endif

struct node {
    _Atomic(struct node *) next;
    int value;
};
struct top {
    struct node *first;
    uintptr_t count;
};
typedef unsigned __int128 wide;
union both {
    wide word;
    struct top parts;
};

#if FORM == 0 /* a plain object: libatomic, whatever its alignment */
static struct top top;
static struct top get(void)
{
    struct top t;
    __atomic_load(&top, &t, ACQ);
    return t;
}
static int change(struct top *old, struct top new)
{
    return __atomic_compare_exchange(&top, old, &new, 0, REL, ACQ);
}
#elif FORM == 1 /* a number */
static wide top;
static struct top get(void)
{
    return (union both){.word = __atomic_load_n(&top, ACQ)}.parts;
}
static int change(struct top *old, struct top new)
{
    union both was = {.parts = *old}, is = {.parts = new};
    int done = __atomic_compare_exchange_n(&top, &was.word, is.word, 0, REL, ACQ);
    *old = was.parts;
    return done;
}
#elif FORM == 2 /* the builtins before C11; needs -mcx16 */
static wide top;
static struct top get(void)
{
    return (union both){.word = __sync_val_compare_and_swap(&top, (wide)0, (wide)0)}.parts;
}
static int change(struct top *old, struct top new)
{
    union both was = {.parts = *old}, is = {.parts = new};
    union both found = {.word = __sync_val_compare_and_swap(&top, was.word, is.word)};
    *old = found.parts;
    return found.word == was.word;
}
#else           /* an atomic struct */
static _Atomic struct top top;
static struct top get(void)
{
    return atomic_load_explicit(&top, ACQ);
}
static int change(struct top *old, struct top new)
{
    return atomic_compare_exchange_weak_explicit(&top, old, new, REL, ACQ);
}
#endif

static void push(struct node *n)
{
    struct top old = get(), new;
    do {
        atomic_store_explicit(&n->next, old.first, memory_order_relaxed);
        new = (struct top){n, old.count + 1};
    } while (!change(&old, new));
}

static struct node *pop(void)
{
    struct top old = get(), new;
    do {
        if (!old.first)
            return NULL;
        new.first = atomic_load_explicit(&old.first->next, memory_order_relaxed);
        new.count = old.count + 1;
    } while (!change(&old, new));
    return old.first;
}

static struct node nodes[4];

static void *make(void *arg)
{
    struct node *mine = arg;
    for (int i = 0; i < 2; i++) {
        mine[i].value = i;
        push(&mine[i]);
#ifdef LATE
        mine[i].value = 7;
#endif
    }
    return arg;
}

static void *take(void *arg)
{
    for (int n = 0; n < 4;) {
        struct node *got = pop();
        if (got)
            got->value++, n++;
        else
            sched_yield();
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, make, nodes);
    pthread_create(&t[1], NULL, make, nodes + 2);
    pthread_create(&t[2], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
