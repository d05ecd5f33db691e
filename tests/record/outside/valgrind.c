/* Valgrind's client request, which does nothing outside of it, as RUNNING_ON_VALGRIND has it. */
#include <pthread.h>
#include <stdio.h>

static int data;

static unsigned long running_on_valgrind(void)
{
    volatile unsigned long args[6] = {0x1001}, result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

static void *work(void *arg)
{
    if (!running_on_valgrind())
        data++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return running_on_valgrind() != 0 || data != 1;
}
