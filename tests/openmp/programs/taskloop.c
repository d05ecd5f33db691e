/* A loop cut into tasks. */
#include "omp_test.h"
int main(void)
{
    int a[16], last = 0;
    for (int i = 0; i < 16; i++)
        a[i] = i;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(2) shared(a, last)
    for (int i = 0; i < 15; i++) {
#ifdef RACY
        last = a[i];
#else
        a[i] = a[i] * 2;
#endif
    }
    return CHECK(last >= 0 && a[15] == 15);
}
