/* Races with the fixes that users of OpenMP would make; test_advice.sh compares what is advised. */
#include <omp.h>
#include <stdio.h>

static void show(int sum, int tmp, int max, const int *a)
{
    printf("%d %d %d %d\n", sum, tmp, max, a[0]);
}

#if CASE <= 3
int main(void)
{
    int sum = 0, tmp = 0, a[64] = {0}, n = 64;
#if CASE == 0
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        sum += a[i];
#elif CASE == 1
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        tmp = a[i] * 2;
        a[i] = tmp + 1;
    }
#elif CASE == 2
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            a[i] = i * 3;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < n - 1; i++)
            sum += a[n - 1 - i];
    }
#elif CASE == 3
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++)
        a[i] = a[i + 1] + 1;
#endif
    show(sum, tmp, 0, a);
    return 0;
}
#else
int main(void)
{
    int sum = 0, tmp = 0, max = 0, a[64] = {0}, n = 64;
    for (int i = 0; i < n; i++)
        a[i] = i;
#if CASE == 4
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 4; i++)
#pragma omp task shared(sum)
            sum = sum + a[i];
    }
#elif CASE == 5
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] > max)
            max = a[i];
#elif CASE == 6
#pragma omp parallel
    {
#pragma omp master
        tmp = 5;
        a[omp_get_thread_num()] = tmp;
    }
#elif CASE == 7
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(tmp)
        tmp = 1;
#pragma omp task shared(tmp, sum)
        sum = tmp;
    }
#elif CASE == 8
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(tmp)
        tmp = 1;
        sum = tmp;
    }
#endif
    show(sum, tmp, max, a);
    return 0;
}
#endif
