/* Neighbours exchange values between barriers. */
#include "omp_test.h"
int main(void)
{
    int a[4] = {1, 2, 3, 4};
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        for (int round = 0; round < 3; round++) {
            int left = a[(me + 3) % 4];
#ifndef RACY
#pragma omp barrier
#endif
            a[me] = left;
#pragma omp barrier
        }
    }
    return CHECK(a[0] + a[1] + a[2] + a[3] == 10);
}
