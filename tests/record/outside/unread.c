/* A lock of inline assembly that the pass cannot read: the address is in a register. */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned word;
static int shared;

static unsigned swap(volatile unsigned *p, unsigned v)
{
    __asm__ volatile("xchgl %0,(%1)" : "+r"(v) : "r"(p) : "memory");
    return v;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        while (swap(&word, 1))
            ;
        shared++;
        swap(&word, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", shared);
    return shared != 9;
}
