/* A histogram with a private part for each thread, added up in a critical section. */
#include <omp.h>
#include <stdio.h>
enum { N = 2000000, BINS = 64 };
static unsigned char data[N];
int main(void)
{
    long bins[BINS] = {0};
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
#pragma omp parallel num_threads(2)
    {
        long mine[BINS] = {0};
#pragma omp for schedule(dynamic, 10000)
        for (int i = 0; i < N; i++)
            mine[data[i] % BINS]++;
#pragma omp critical
        for (int k = 0; k < BINS; k++)
            bins[k] += mine[k];
    }
    printf("%ld %ld\n", bins[0], bins[BINS - 1]);
    return 0;
}
