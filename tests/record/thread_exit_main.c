/* The first thread ends with pthread_exit; the process lives on until the last one is done. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int steps;

static void *work(void *arg)
{
    usleep(1000);
    steps++;
    printf("steps %d\n", steps);
    fflush(stdout);
    exit(3);
    return arg;
}

int main(void)
{
    pthread_t t;
    steps = 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
