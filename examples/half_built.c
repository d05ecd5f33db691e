/* A half-built object, published through a plain flag.
 *
 * The builder sets the flag before the object is whole, and the flag is a plain int. The width is
 * never at risk: it is stored before the flag, and the reader looks only after it has seen the
 * flag. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static struct {
    int width, height;
} box;
static int published;

static void *builder(void *arg)
{
    box.width = 3;
    published = 1; /* too early, and not atomic */
    box.height = 4;
    return arg;
}

static void *reader(void *arg)
{
    if (published) {
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
