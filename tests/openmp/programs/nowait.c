/* The second loop reads what the first wrote in other threads; it needs the barrier between. */
#include "omp_test.h"
int main(void)
{
    int a[16], b[16];
#pragma omp parallel num_threads(4)
    {
#ifdef RACY
#pragma omp for nowait
#else
#pragma omp for
#endif
        for (int i = 0; i < 16; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < 16; i++)
            b[i] = a[15 - i];
    }
    return CHECK(b[0] == 15 && b[15] == 0);
}
