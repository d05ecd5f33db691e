/* Inline assembly with a memory operand is an access: locks made of it order what they guard, and
 * what it does without a lock prefix races. */
#include <pthread.h>

static volatile unsigned swapped, compared;
static int quiet[2];
static unsigned counted;
unsigned loud0, loud1;

static unsigned swap(volatile unsigned *p, unsigned v)
{
    __asm__ volatile("xchgl %0,%1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static unsigned char take(volatile unsigned *p)
{
    unsigned expected = 0;
    unsigned char done;
    __asm__ volatile("lock; cmpxchgl %3,%1\n\tsete %0"
                     : "=q"(done), "+m"(*p), "+a"(expected)
                     : "r"(1)
                     : "memory", "cc");
    return done;
}

static void give(volatile unsigned *p)
{
    __asm__ volatile("movl %1,%0" : "=m"(*p) : "r"(0) : "memory");
}

static void wait(void)
{
    __asm__ volatile("rep; nop" : : : "memory");
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (swap(&swapped, 1))
            wait();
        quiet[0]++;
        swap(&swapped, 0);
        __asm__ volatile("mfence" : : : "memory");
        while (!take(&compared))
            wait();
        quiet[1]++;
        give(&compared);
    }
    __asm__ volatile("lock; incl %0" : "+m"(counted));
    __asm__ volatile("incl %0" : "+m"(loud0));
    unsigned seen;
    if (arg)
        __asm__ volatile("lock; addl %1,%0" : "+m"(loud1) : "r"(2));
    else
        __asm__ volatile("movl %1,%0" : "=r"(seen) : "m"(loud1));
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counted != 2;
}
