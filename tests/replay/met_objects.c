/* As met.c, and put() writes the last field of one box or the other: of the second one in the
 * recorded run, of the first one when the copy of that waits. Then the race of put() with the copy
 * of the second box did not happen, though that of the same places did. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct box {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11;
};
static struct box first, second;
static struct box to;
static volatile size_t size = sizeof to; /* so that it is one call */
static atomic_int copied;

static __attribute__((noinline)) void copy(const struct box *from)
{
    memcpy(&to, from, size);
}

static void fill(void)
{
    first.f0 = 1;
    first.f1 = 2;
    first.f2 = 3;
    first.f3 = 4;
    first.f4 = 5;
    first.f5 = 6;
    first.f6 = 7;
    first.f7 = 8;
    first.f8 = 9;
    first.f9 = 10;
}

static __attribute__((noinline)) void put(struct box *b)
{
    b->f11 = 12;
}

static void *writer(void *arg)
{
    fill();
    put(atomic_load(&copied) ? &second : &first);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    copy(&first);
    atomic_store(&copied, 1);
    copy(&second);
    pthread_join(t, NULL);
    return to.f3 < 0;
}
