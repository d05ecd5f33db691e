/* A pipe says that the data are there; without GOOD it says so too early. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], data;

static void *send_it(void *arg)
{
    char byte = 1;
#ifdef GOOD
    data = 3;
#endif
    if (write(ends[1], &byte, 1) != 1)
        return arg;
#ifndef GOOD
    data = 3;
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    char byte;
    if (pipe(ends))
        return 1;
    pthread_create(&t, NULL, send_it, NULL);
    if (read(ends[0], &byte, 1) != 1)
        return 1;
    int seen = data;
    pthread_join(t, NULL);
    printf("%d\n", seen);
    return 0;
}
