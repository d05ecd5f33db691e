/* Mapped memory that is unmapped and mapped again is another location. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static void *work(void *arg)
{
    *(int *)arg = 5;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_create(&t, NULL, work, p);
        pthread_join(t, NULL);
        sum += p[0] + p[1];
        munmap(p, 4096);
    }
    printf("sum %d\n", sum);
    return 0;
}
