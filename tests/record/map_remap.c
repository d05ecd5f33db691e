/* mmap, mremap that moves, munmap; the address comes back as another location. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile int *map;

static void *work(void *arg)
{
    map[1] = 11;
    return arg;
}

int main(void)
{
    pthread_t t;
    size_t page = 4096;
    map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[0] = 3;
    map = mremap((void *)map, page, 64 * page, MREMAP_MAYMOVE);
    printf("kept %d\n", map[0]);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("wrote %d\n", map[1]);
    printf("unmap %d bad %d\n", munmap((void *)map, 64 * page),
           mmap(NULL, 0, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED);
    return 0;
}
