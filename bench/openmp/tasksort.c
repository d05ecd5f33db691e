/* Merge sort by tasks. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
enum { N = 200000, SMALL = 10000 };
static int a[N], scratch[N];
static void merge(int low, int mid, int high)
{
    int i = low, j = mid, k = low;
    while (i < mid && j < high)
        scratch[k++] = a[i] <= a[j] ? a[i++] : a[j++];
    while (i < mid)
        scratch[k++] = a[i++];
    while (j < high)
        scratch[k++] = a[j++];
    memcpy(a + low, scratch + low, (size_t)(high - low) * sizeof *a);
}
static void sort(int low, int high)
{
    if (high - low < 2)
        return;
    int mid = low + (high - low) / 2;
#pragma omp task if (high - low > SMALL)
    sort(low, mid);
#pragma omp task if (high - low > SMALL)
    sort(mid, high);
#pragma omp taskwait
    merge(low, mid, high);
}
int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        a[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
#pragma omp parallel num_threads(2)
#pragma omp single
    sort(0, N);
    for (int i = 1; i < N; i++)
        if (a[i - 1] > a[i])
            return 1;
    printf("%d %d\n", a[0], a[N - 1]);
    return 0;
}
