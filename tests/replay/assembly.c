/* Locks made of inline assembly that the pass cannot read, or not in whole: V says which. `data` is
 * guarded; with BAD one access is not. PLAIN: assembly that is no lock, on `data`. */
#include <pthread.h>

static volatile int word;
static int data;

#if V == 1 /* it waits inside */
static volatile int room = 1;
static void lock(void)
{
    __asm__ volatile("1: lock; decl %0\n\tjns 3f\n2: pause\n\tcmpl $0,%0\n\tjle 2b\n\tjmp 1b\n3:"
                     : "+m"(room)
                     :
                     : "memory", "cc");
}
static void unlock(void)
{
    __asm__ volatile("movl $1,%0" : "=m"(room) : : "memory");
}
#elif V == 2 /* it jumps out */
static int try(void)
{
    __asm__ goto("lock btsl $0,%0\n\tjc %l[busy]" : : "m"(word) : "memory", "cc" : busy);
    return 1;
busy:
    return 0;
}
static void lock(void)
{
    while (!try())
        continue;
}
static void unlock(void)
{
    __asm__ volatile("lock btrl $0,%0" : "+m"(word) : : "memory", "cc");
}
#elif V == 3 /* the operand is a register */
static void lock(void)
{
    for (int v = 1; v;)
        __asm__ volatile("xchgl %0,(%1)" : "+r"(v) : "r"(&word) : "memory");
}
static void unlock(void)
{
    __asm__ volatile("movl $0,(%0)" : : "r"(&word) : "memory");
}
#elif V == 4 /* bytes */
static void lock(void)
{
    for (int v = 1; v;)
        __asm__ volatile(".byte 0xf2; lock; xchgl %0,%1" : "+r"(v), "+m"(word) : : "memory");
}
static void unlock(void)
{
    __asm__ volatile("lock; andl $0,%0" : "+m"(word) : : "memory");
}
#endif

static void *worker(void *arg)
{
#ifdef PLAIN
    __asm__ volatile(PLAIN : "+m"(data));
    (void)word;
#else
    for (int i = 0; i < 3; i++) {
        lock();
        data++;
        unlock();
    }
#endif
#ifdef BAD
    if (arg)
        data++;
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data < 2;
}
