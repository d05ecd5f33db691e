/* One producer, one consumer, a ring with two indices. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef GOOD
static atomic_uint head, tail;
#else
static volatile unsigned head, tail;
#endif
static int slot[4];

static void *produce(void *arg)
{
    for (int i = 0; i < 6; i++) {
        while (head - tail == 4)
            sched_yield();
        slot[head % 4] = i;
        head = head + 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, produce, NULL);
    for (int i = 0; i < 6; i++) {
        while (head == tail)
            sched_yield();
        sum += slot[tail % 4];
        tail = tail + 1;
    }
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
