/* What the order of two accesses does to the program: one effect for each argument. Recorded
 * first-come first-served nothing happens; the other order of the race on `flag` shows it. With a
 * second argument the reader does something else before. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *effect;
static int flag, result, detour;
static int *pointer = &result;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void show(int seen)
{
    if (!strcmp(effect, "output") || !strcmp(effect, "seed"))
        printf("the flag is %s\n", seen ? "up" : "down");
    if (!strcmp(effect, "assertion"))
        assert(seen == 1);
    if (!strcmp(effect, "crash") && !seen)
        *(volatile int *)NULL = 1;
    if (!strcmp(effect, "exit") && !seen)
        exit(9);
    if (!strcmp(effect, "hang"))
        while (!seen)
            usleep(1000);
    if (!strcmp(effect, "deadlock") && !seen) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&a);
    }
}

/* Another line in every run. */
static void tell_seed(void)
{
    unsigned long seed = 0;
    FILE *f = fopen("/dev/urandom", "r");
    if (f && fread(&seed, sizeof seed, 1, f) == 1)
        printf("seed %lx\n", seed);
    if (f)
        fclose(f);
}

static void *writer(void *arg)
{
    flag = 1;
    pthread_mutex_lock(&b);
    result = 1;
    pthread_mutex_unlock(&b);
    return arg;
}

static void *reader(void *arg)
{
    if (detour)
        result = 3;
    pthread_mutex_lock(&b);
    *pointer = 2;
    pthread_mutex_unlock(&b);
    show(flag);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    effect = argc > 1 ? argv[1] : "";
    detour = argc > 2;
    printf("before\n");
    if (!strcmp(effect, "seed") || !strcmp(effect, "seed alone"))
        tell_seed();
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("after\n");
    return 0;
}
