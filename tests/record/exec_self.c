/* A program that becomes itself: the second image has a trace of its own. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int n;

static void *work(void *arg)
{
    n++;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%s %d\n", argc > 1 ? argv[1] : "first", n);
    fflush(stdout);
    if (argc == 1)
        execl("/proc/self/exe", argv[0], "second", NULL);
    return argc > 1 ? 9 : 1;
}
