/* Partial sums, added in a critical section; racy when the last read is outside. */
#include "omp_test.h"
int main(void)
{
    int sum = 0, seen = 0;
#pragma omp parallel num_threads(3)
    {
        int part = omp_get_thread_num() + 1;
#pragma omp critical
        sum += part;
#ifdef RACY
        if (omp_get_thread_num() == 0)
            seen = sum;
#endif
    }
    return CHECK(sum == 6 && seen <= 6);
}
