/* Races that only the dependences of the pass show, and twins that are none. Recorded first-come
 * first-served: T1.1 runs whole before T1.2.
 *
 * In every case T1.2 reads y, which tells whether T1.1 is past its write of x. What T1.2 then does
 * with the value decides: a value that is only stored does not keep x = 2 from coming first. A
 * branch on it, or an address made of it, does. An analysis that takes every access to depend on
 * all earlier reads finds no race in any case.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int y, copy, x[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define NOINLINE __attribute__((noinline))

NOINLINE static int scale(int v, int unused)
{
    (void)unused;
    return 3 * v;
}

NOINLINE static void put(int *where, int v)
{
    *where = v;
}

NOINLINE static int *choose(int v)
{
    return v ? &x[1] : &x[0];
}

static void *first(void *arg)
{
    (void)arg;
    x[1] = 1;
    pthread_mutex_lock(&lock);
    y = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    int r = y;
    pthread_mutex_unlock(&lock);
#if CASE == 1 /* race: the value goes elsewhere */
    copy = r + 1;
    x[1] = 2;
#elif CASE == 2  /* twin: a branch */
    if (r == 1)
        x[1] = 2;
#elif CASE == 3  /* twin: an address */
    x[r] = 2;
#elif CASE == 4  /* race: through calls and a local */
    int parts[2] = {scale(r, 5), 7};
    copy = parts[0];
    put(&x[1], scale(2, r));
#elif CASE == 5  /* twin: the address comes back from a call */
    put(choose(r), 2);
#elif CASE == 6  /* twin: through a local, by value of a loop bound */
    for (int i = 0; i <= r; i++)
        x[i] = i;
#elif CASE == 7  /* race: the value is written to x itself */
    x[1] = r;
#elif CASE == 8  /* twin: an indirect call */
    static void (*const table[2])(int *, int) = {0, put};
    if (table[r & 1])
        table[r & 1](&x[1], 2);
#elif CASE == 9  /* twin: a division would end the program first */
    copy = 10 / r;
    x[1] = 2;
#elif CASE == 10 /* twin: a library without hooks might not come back */
    srand48(r);
    x[1] = 2;
#elif CASE == 11 /* race: printing a number cannot keep x = 2 from coming first */
    printf("%d\n", r);
    x[1] = 2;
#endif
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
