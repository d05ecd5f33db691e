/* What the programs here share: the number of workers from the command line, starting and joining.
 */
#ifndef HD_TESTS_EXPLORE_COMMON_H
#define HD_TESTS_EXPLORE_COMMON_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WORKERS 8

static int workers = 2;

static inline void read_workers(int argc, char **argv)
{
    if (argc > 1)
        workers = atoi(argv[1]);
    if (workers < 2 || workers > MAX_WORKERS)
        exit(2);
}

/* Runs work(0), work(1), ... and waits for all of them. */
static inline void run_workers(void *(*work)(void *))
{
    pthread_t threads[MAX_WORKERS];
    for (long i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
}

/* What is not used in the end, a compiler may leave out together with the faulty access. */
static inline int total(const int *of_workers)
{
    int sum = 0;
    for (int i = 0; i < MAX_WORKERS; i++)
        sum += of_workers[i];
    return sum;
}

#endif
