/* A race behind the joins of threads: the last event of one is a branch, one has no events, and one
 * ends with memory that is its own. */
#include <pthread.h>
#include <stdlib.h>

static int x, y;
static volatile int z;

static void *first(void *arg)
{
    if (x)
        z = 1;
    return arg;
}

static void *nothing(void *arg)
{
    return arg;
}

static void *own(void *arg)
{
    int *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i < 4; i++)
        numbers[i] = i;
    free(numbers);
    return arg;
}

static void *second(void *arg)
{
    y++;
    return arg;
}

int main(void)
{
    void *(*before[])(void *) = {first, nothing, own};
    pthread_t t;
    for (int i = 0; i < 3; i++) {
        pthread_create(&t, NULL, before[i], NULL);
        pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, second, NULL);
    y++;
    pthread_join(t, NULL);
    return 0;
}
