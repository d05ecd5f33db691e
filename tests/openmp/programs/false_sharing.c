/* Neighbours in one cache line are no race; the same cell is. */
#include "omp_test.h"
int main(void)
{
    int a[4] = {0};
#pragma omp parallel num_threads(4)
#ifdef RACY
    a[omp_get_thread_num() / 2]++;
#else
    a[omp_get_thread_num()]++;
#endif
    return CHECK(a[0] > 0);
}
