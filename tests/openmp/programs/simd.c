/* simd inside threads. */
#include "omp_test.h"
int main(void)
{
    float a[32], b[32], s = 0;
    for (int i = 0; i < 32; i++)
        b[i] = (float)i;
#ifdef RACY
#pragma omp parallel for simd num_threads(4)
#else
#pragma omp parallel for simd num_threads(4) reduction(+ : s)
#endif
    for (int i = 0; i < 32; i++) {
        a[i] = b[i] + 1;
        s += a[i];
    }
    return CHECK(s == 528);
}
