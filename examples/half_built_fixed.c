/* half_built.c, corrected: the flag is atomic and set last. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    int width, height;
} box;
static atomic_int published;

static void *builder(void *arg)
{
    box.width = 3;
    box.height = 4;
    atomic_store(&published, 1);
    return arg;
}

static void *reader(void *arg)
{
    if (atomic_load(&published)) {
        int area = box.width * box.height;
        assert(area == 12);
        printf("area %d\n", area);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, builder, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
